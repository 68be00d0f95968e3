// options: --check conversion,overflow,null
// defines: __symcrete_check
// checks: conversion overflow null
// imports: symcrete.check
char narrow(int x) { return x; }
int add(int a, int b) { return a + b; }
int read_it(int *p) { return *p; }
