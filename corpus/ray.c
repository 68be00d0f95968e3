/* ray: the heart of a small teaching ray tracer in 32-bit floats: vectors, one sphere, one light, shading with a
 * reflection.
 *
 * Dinges and Agha 2014. Entries (the paper's five drivers): vector_normalize, sphere_intersect, ray_trace, surface_shade,
 * sphere_shade.
 * Light kinds: 0 ambient, 1 directional (normalised first), 2 point, any other directional as given. The scene has
 * one sphere and reflections end after one bounce, so every run is short.
 * Infeasible: a hit beyond FLT_MAX, in the three drivers whose rays begin with t = FLT_MAX; see units.tsv.
 */

#include <float.h>
#include <math.h>

enum { AMBIENT = 0, DIRECTIONAL = 1, POINT = 2 };
enum { BOUNCES = 1 };

struct vector {
    float x, y, z;
};

struct ray {
    struct vector origin;
    struct vector direction;
    float t;
};

struct sphere {
    struct vector centre;
    float radius;
};

struct surface {
    float red, green, blue;
    float ka, kd, ks, ns, kt, kr;
};

struct light {
    int kind;
    float red, green, blue;
    struct vector v;
};

struct scene {
    struct sphere sphere;
    struct surface surface;
    struct light light;
    struct vector background;
};

static struct vector vec(float x, float y, float z) {
    struct vector v = {x, y, z};
    return v;
}

static struct vector plus(struct vector a, struct vector b) {
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static struct vector minus(struct vector a, struct vector b) {
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static struct vector scaled(struct vector a, float s) {
    return vec(a.x * s, a.y * s, a.z * s);
}

static float dot(struct vector a, struct vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector normalised(struct vector a) {
    float t = dot(a, a);
    if (t != 0 && t != 1) {
        t = (float)(1 / sqrt(t));
    }
    return scaled(a, t);
}

/* Whether the ray meets the sphere before ray->t, which then becomes where. */
static int intersect(const struct sphere *sphere, struct ray *ray) {
    struct vector d = minus(sphere->centre, ray->origin);
    float v = dot(ray->direction, d);
    if (v - sphere->radius > ray->t) {
        return 0;
    }
    float t = sphere->radius * sphere->radius + v * v - dot(d, d);
    if (t < 0) {
        return 0;
    }
    t = v - (float)sqrt(t);
    if (t > ray->t || t < 0) {
        return 0;
    }
    ray->t = t;
    return 1;
}

static float at_most_one(float value) {
    return value > 1 ? 1 : value;
}

static struct vector shade_hit(const struct scene *scene, const struct ray *ray, int bounces);

/* The diffuse and specular light that reaches p, unless the sphere is in the way. */
static struct vector lit(const struct scene *scene, struct vector p, struct vector n, struct vector v) {
    const struct surface *s = &scene->surface;
    const struct light *light = &scene->light;
    struct vector colour = vec(0, 0, 0);
    struct vector l;
    if (light->kind == POINT) {
        l = normalised(minus(light->v, p));
    } else {
        l = scaled(light->v, -1);
    }
    struct ray shadow = {plus(p, scaled(l, 0.001f)), l, FLT_MAX};
    if (intersect(&scene->sphere, &shadow)) {
        return colour;
    }
    float lambert = dot(n, l);
    if (lambert > 0) {
        if (s->kd > 0) {
            float diffuse = s->kd * lambert;
            colour.x += diffuse * s->red * light->red;
            colour.y += diffuse * s->green * light->green;
            colour.z += diffuse * s->blue * light->blue;
        }
        if (s->ks > 0) {
            lambert *= 2;
            float spec = dot(v, minus(scaled(n, lambert), l));
            if (spec > 0) {
                spec = s->ks * (float)pow(spec, s->ns);
                colour.x += spec * light->red;
                colour.y += spec * light->green;
                colour.z += spec * light->blue;
            }
        }
    }
    return colour;
}

static struct vector shade(const struct scene *scene, struct vector p, struct vector n, struct vector v, int bounces) {
    const struct surface *s = &scene->surface;
    const struct light *light = &scene->light;
    struct vector colour;
    if (light->kind == AMBIENT) {
        colour = vec(s->ka * s->red * light->red, s->ka * s->green * light->green, s->ka * s->blue * light->blue);
    } else {
        colour = lit(scene, p, n, v);
    }
    float kr = s->kr * 0.00392156f;
    if (kr > 0 && bounces > 0) {
        float t = dot(v, n);
        if (t > 0) {
            t *= 2;
            struct vector reflected = minus(scaled(n, t), v);
            struct ray ray = {plus(p, scaled(reflected, 0.001f)), reflected, FLT_MAX};
            struct vector seen = scene->background;
            if (intersect(&scene->sphere, &ray)) {
                seen = shade_hit(scene, &ray, bounces - 1);
            }
            colour = plus(colour, scaled(seen, kr));
        }
    }
    return vec(at_most_one(colour.x), at_most_one(colour.y), at_most_one(colour.z));
}

static struct vector shade_hit(const struct scene *scene, const struct ray *ray, int bounces) {
    struct vector p = plus(ray->origin, scaled(ray->direction, ray->t));
    struct vector v = scaled(ray->direction, -1);
    struct vector n = normalised(minus(p, scene->sphere.centre));
    return shade(scene, p, n, v, bounces);
}

static struct light make_light(int kind, float red, float green, float blue, struct vector v) {
    struct light light = {kind, red, green, blue, v};
    if (kind == DIRECTIONAL) {
        light.v = normalised(v);
    }
    return light;
}

float vector_normalize(float x, float y, float z) {
    struct vector v = normalised(vec(x, y, z));
    return v.x + v.y + v.z;
}

int sphere_intersect(float cx, float cy, float cz, float radius, float ex, float ey, float ez, float dx, float dy,
                     float dz, float t) {
    struct sphere sphere = {{cx, cy, cz}, radius};
    struct ray ray = {{ex, ey, ez}, {dx, dy, dz}, t};
    return intersect(&sphere, &ray);
}

float ray_trace(float cx, float cy, float cz, float radius, float ex, float ey, float ez, float dx, float dy,
                float dz) {
    struct sphere sphere = {{cx, cy, cz}, radius};
    struct ray ray = {{ex, ey, ez}, normalised(vec(dx, dy, dz)), FLT_MAX};
    if (intersect(&sphere, &ray)) {
        return ray.t;
    }
    return -1;
}

float surface_shade(float red, float green, float blue, float ka, float kd, float ks, float ns, float kt, float kr,
                    float px, float py, float pz, float nx, float ny, float nz, float vx, float vy, float vz,
                    float lred, float lgreen, float lblue, float lx, float ly, float lz, float radius, int kind) {
    struct scene scene = {
        {{0, 0, 0}, radius},
        {red, green, blue, ka, kd, ks, ns, kt, kr},
        make_light(kind, lred, lgreen, lblue, vec(lx, ly, lz)),
        {0.25f, 0.25f, 0.5f},
    };
    struct vector c = shade(&scene, vec(px, py, pz), vec(nx, ny, nz), vec(vx, vy, vz), BOUNCES);
    return c.x + c.y + c.z;
}

float sphere_shade(float cx, float cy, float cz, float radius, float ox, float oy, float oz, float dx, float dy,
                   float dz, float t, float red, float green, float blue, float ka, float kd, float ks, float ns,
                   float kt, float kr, float lred, float lgreen, float lblue, float lx, float ly, float lz,
                   float bred, float bgreen, float bblue, int kind) {
    struct scene scene = {
        {{cx, cy, cz}, radius},
        {red, green, blue, ka, kd, ks, ns, kt, kr},
        make_light(kind, lred, lgreen, lblue, vec(lx, ly, lz)),
        {bred, bgreen, bblue},
    };
    struct ray ray = {{ox, oy, oz}, {dx, dy, dz}, t};
    struct vector c = shade_hit(&scene, &ray, BOUNCES);
    return c.x + c.y + c.z;
}
