//! Graphs of small modules: SSA form, loops, calls, distances.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "cfg/well_formed.rs"]
mod well_formed;

use std::collections::BTreeSet;
use symcrete_program::cfg::{
    BlockId, CallGraph, Cfg, CfgError, Dominators, FlowGraph, Function, Kind, Loops, ModuleView,
    Terminator,
};
use symcrete_program::{Edge, SiteId};

fn functions(wat: &str) -> Vec<Function> {
    let wasm = wat::parse_str(wat).unwrap();
    let module = ModuleView::parse(&wasm).unwrap();
    let cfg = Cfg::of_module(&module).unwrap();
    for function in cfg.functions() {
        well_formed::check(&module, function).unwrap_or_else(|why| panic!("{why}\n{function}"));
    }
    cfg.functions().cloned().collect()
}

/// Without offsets, which are of no interest here.
fn text(function: &Function) -> Vec<String> {
    let line =
        |line: &str| line.trim().split_once("  ").map_or(line.trim(), |(_, rest)| rest).to_string();
    function.to_string().lines().skip(1).map(line).collect()
}

const GCD: &str = "(module (func (export \"gcd\") (param i32 i32) (result i32) (local i32 i64)
    loop $again
      local.get 1 if
        local.get 0 local.get 1 i32.rem_u local.set 2
        local.get 1 local.set 0
        local.get 2 local.set 1
        br $again
      end
    end
    local.get 0))";

#[test]
fn locals_become_parameters_only_where_values_meet() {
    let gcd = &functions(GCD)[0];
    assert_eq!(
        text(gcd),
        [
            "b0(v0: i32, v1: i32):",
            "br b1(v0, v1)",
            "b1(v2: i32, v3: i32):",
            "br_if v3 then b2 else b3",
            "b2():",
            "v4 = i32.rem_u v2, v3",
            "br b1(v3, v4)",
            "b3():",
            "return v2",
        ]
    );
}

#[test]
fn a_block_with_values_merges_them() {
    let choose = &functions(
        "(module (func (param i32) (result i32 i64)
           local.get 0 if (result i32 i64) i32.const 1 i64.const 2 else i32.const 3 i64.const 4 end))",
    )[0];
    assert_eq!(choose.exit(), Some(BlockId(3)));
    let exit = choose.block(BlockId(3));
    assert_eq!(exit.terminator, Terminator::Return(exit.params.clone()));
}

#[test]
fn unreachable_code_is_left_out() {
    let function = &functions(
        "(module (func (result i32)
           block (result i32) i32.const 1 return
             block loop br 0 end end drop i32.const 2 end unreachable))",
    )[0];
    assert_eq!(text(function), ["b0():", "v0 = i32.const 1", "return v0"]);
}

#[test]
fn cases_of_a_switch_are_counted_as_sites_are() {
    let function = &functions(
        "(module (func (param i32) (result i32)
           block block block local.get 0 br_table 0 1 0 2 2 end
             i32.const 10 return end i32.const 20 return end i32.const 30))",
    )[0];
    let Terminator::Switch { cases, case_of_index, offset, .. } = &function.blocks[0].terminator
    else {
        panic!("{function}");
    };
    assert_eq!((cases.len(), &case_of_index[..]), (3, &[0, 1, 0, 2, 2][..]));
    let edge = |case| Some(Edge { site: SiteId { offset: *offset, case }, taken: true });
    assert_eq!(function.blocks[0].terminator.edges(), [edge(0), edge(1), edge(2)]);
}

#[test]
fn loops_are_nested() {
    let function = &functions(
        "(module (func (param i32)
           loop $outer
             loop $first local.get 0 br_if $first end
             loop $second local.get 0 if br $second end end
             local.get 0 br_if $outer
           end
           loop $alone local.get 0 br_if $alone end))",
    )[0];
    let loops = Loops::of(function);
    let shape: Vec<(usize, Option<usize>)> =
        loops.loops.iter().map(|found| (found.depth, found.parent)).collect();
    assert_eq!(shape, [(1, None), (2, Some(0)), (2, Some(0)), (1, None)]);
    assert_eq!(loops.innermost(BlockId::ENTRY), None);
    for found in &loops.loops {
        assert!(found.latches.iter().all(|&latch| loops.is_back_edge(latch, found.header)));
    }
}

#[test]
fn an_endless_loop_has_no_post_dominator() {
    let function = &functions("(module (func (param i32) local.get 0 if loop br 0 end end))")[0];
    let post = Dominators::post(function);
    let exit = function.exit().unwrap();
    assert!(post.dominates(exit, BlockId::ENTRY));
    let endless = Loops::of(function).loops[0].header;
    assert_eq!(post.immediate(endless), None);
    assert!(!post.dominates(exit, endless));
}

#[test]
fn an_indirect_call_reaches_what_is_referred_to_and_fits() {
    let wasm = wat::parse_str(
        "(module (table 4 funcref) (elem (i32.const 0) $one $two $other)
           (func $one (result i32) i32.const 1) (func $two (result i32) i32.const 2)
           (func $other) (func $hidden (result i32) i32.const 3)
           (func $caller (result i32) call $hidden i32.const 0 call_indirect (result i32) i32.add))",
    )
    .unwrap();
    let module = ModuleView::parse(&wasm).unwrap();
    let graph = CallGraph::of(&module, &Cfg::of_module(&module).unwrap());
    let callees: Vec<&[u32]> = graph.calls(4).map(|site| &site.callees[..]).collect();
    assert_eq!(callees, [&[3][..], &[0, 1][..]]);
    assert_eq!(graph.callers(1).map(|site| site.caller).collect::<Vec<_>>(), [4]);
    assert_eq!(graph.callers(2).count(), 0);
}

/// The distance from each side of each site to one side of one, sites numbered in order of offset.
fn distances(wat: &str, target: (usize, bool)) -> Vec<(Option<u32>, Option<u32>)> {
    let wasm = wat::parse_str(wat).unwrap();
    let module = ModuleView::parse(&wasm).unwrap();
    let cfg = Cfg::of_module(&module).unwrap();
    let mut sites = BTreeSet::new();
    for block in cfg.functions().flat_map(|function| &function.blocks) {
        sites.extend(block.terminator.edges().iter().flatten().map(|edge| edge.site));
        let selects = block.instructions.iter().filter(|i| i.kind == Kind::Select);
        sites.extend(selects.map(|select| SiteId::at(select.offset)));
    }
    let sites: Vec<SiteId> = sites.into_iter().collect();
    let target = Edge { site: sites[target.0], taken: target.1 };
    let graph = FlowGraph::of(&module, &cfg).from_entries(cfg.functions().map(|f| f.index));
    let found = graph.to(&BTreeSet::from([target]));
    // The other way round the graph says the same.
    for edge in sites.iter().flat_map(|&site| [true, false].map(|taken| Edge { site, taken })) {
        let is_reachable = graph.reachable_from(&BTreeSet::from([edge])).contains(&target);
        assert_eq!(is_reachable, found.contains_key(&edge), "from {edge:?}");
    }
    let side = |site, taken| found.get(&Edge { site, taken }).copied();
    sites.iter().map(|&site| (side(site, true), side(site, false))).collect()
}

#[test]
fn distances_count_branches() {
    // Behind the first `if` lies the third; behind its other side only the second.
    let wat = "(module (func (param i32 i32 i32)
        local.get 0 if
          local.get 1 if end
          local.get 2 if unreachable end
        else
          local.get 1 if unreachable end
        end))";
    assert_eq!(
        distances(wat, (2, true)),
        [(Some(2), None), (Some(1), Some(1)), (Some(0), None), (None, None)]
    );
}

#[test]
fn a_loop_leads_back_and_a_select_counts() {
    let wat = "(module (func (param i32) (result i32)
        loop local.get 0 br_if 0 end i32.const 1 i32.const 2 local.get 0 select))";
    assert_eq!(distances(wat, (1, false)), [(Some(2), Some(1)), (None, Some(0))]);
}

#[test]
fn a_switch_is_one_branch() {
    let wat = "(module (func (param i32)
        local.get 0 if
          block block block local.get 0 br_table 0 1 2 end return end return end
          unreachable
        end))";
    let last = distances(wat, (3, true));
    assert_eq!(last[0], (Some(1), None));
    assert_eq!(last[1..], [(None, Some(1)), (None, Some(1)), (Some(0), None)]);
}

#[test]
fn a_call_is_entered_and_left_where_it_was_made() {
    // `$helper` is called from two places; what follows one call is not behind the other.
    let wat = "(module
        (func $helper (param i32) local.get 0 if nop end)
        (func $first (param i32) local.get 0 call $helper local.get 0 if unreachable end)
        (func $second (param i32) local.get 0 if local.get 0 call $helper end))";
    // To the branch in the helper: directly from the caller's branch that leads to it.
    assert_eq!(distances(wat, (0, true))[2], (Some(1), None));
    // To the branch behind the first call: from inside the helper one more, from `$second` there is no way
    // there, although the helper could return to `$first`.
    assert_eq!(distances(wat, (1, true)), [(Some(1), Some(1)), (Some(0), None), (None, None)]);
}

#[test]
fn passing_through_a_call_costs_its_branches() {
    let wat = "(module
        (func $three (param i32) local.get 0 br_if 0 local.get 0 br_if 0)
        (func $recursive (param i32) local.get 0 if local.get 0 call $recursive end)
        (func (param i32)
          local.get 0 if local.get 0 call $three local.get 0 call $recursive local.get 0 if nop end end))";
    let found = distances(wat, (4, true));
    assert_eq!(found[3], (Some(3), None), "one branch in each callee, then the target");
}

#[test]
fn what_is_not_handled_is_an_error() {
    let parse = |wat: &str| ModuleView::parse(&wat::parse_str(wat).unwrap()).map(|_| ());
    for wat in
        ["(module (func (param v128)))", "(module (func (param externref)))", "(module (tag))"]
    {
        assert!(matches!(parse(wat), Err(CfgError::Unsupported { .. })), "{wat}: {:?}", parse(wat));
    }
    assert!(matches!(ModuleView::parse(b"\0asm nonsense"), Err(CfgError::Invalid { .. })));
    let wasm = wat::parse_str("(module (import \"m\" \"f\" (func)))").unwrap();
    let module = ModuleView::parse(&wasm).unwrap();
    assert_eq!(Cfg::of(&module, 0), Err(CfgError::NoBody(0)));
    assert_eq!(Cfg::of(&module, 9), Err(CfgError::NoBody(9)));
}

#[test]
fn blocks_inside_blocks_take_neither_stack_nor_for_ever() {
    const DEPTH: usize = 19_000;
    let (open, close) = ("block\n".repeat(DEPTH), "end\n".repeat(DEPTH));
    let wat = format!("(module (func (param i32) {open} local.get 0 br_if 0 {close}))");
    let wasm = wat::parse_str(wat).unwrap();
    let module = ModuleView::parse(&wasm).unwrap();
    let cfg = Cfg::of_module(&module).unwrap();
    assert_eq!(cfg.function(0).unwrap().blocks.len(), 2, "the condition, and what comes after");
}
