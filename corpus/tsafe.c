/* tsafe: two pieces of an air traffic control system: the least separation of two turning aircraft, and the bank
 * angle of a turn.
 *
 * Dinges and Agha 2014. Entries: conflict(...) and turn_logic(...), doubles; their trigonometry is the C library's.
 * Infeasible: in turn_logic the angle is never above a full circle (see units.tsv).
 */

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double DEGREE = 3.14159265358979323846 / 180.0;

double conflict(double psi1, double va, double vc, double xc0, double yc0, double psic, double bank_ang) {
    const double gravity = 68443.0;
    const double dmst = 2.0;
    const double sign_c = 1.0;
    double sign_a = 1.0;
    double dmin = 999.0;

    double psia = psi1 * DEGREE;
    if (psia < 0) {
        sign_a = -1.0;
    }
    double ra = va * va / tan(bank_ang * DEGREE) / gravity;
    double rc = vc * vc / tan(bank_ang * DEGREE) / gravity;
    double t1 = fabs(psia) * ra / va;
    double dpsic = sign_c * t1 * vc / rc;
    double xa = sign_a * ra * (1 - cos(psia));
    double ya = ra * sign_a * sin(psia);
    double xc = xc0 + sign_c * rc * (cos(psic) - cos(psic + dpsic));
    double yc = yc0 - sign_c * rc * (sin(psic) - sin(psic + dpsic));
    double d = sqrt((xc - xa) * (xc - xa) + (yc - ya) * (yc - ya));
    if (d < dmin) {
        dmin = d;
    }
    if (dmin < dmst) {
        return dmin;
    }
    return dmst;
}

static double normalised(double angle) {
    if (angle < -PI) {
        return angle + 2 * PI;
    }
    if (angle > PI) {
        return angle - 2 * PI;
    }
    return angle;
}

double turn_logic(double x0, double y0, double gspeed, double x1, double y1, double x2, double y2, double dt) {
    const double gacc = 32.0;

    double dx = x0 - x1;
    double dy = y0 - y1;
    if (dx == 0 && dy == 0) {
        return 0.0;
    }
    double heading1 = PI / 2 - atan2(dy, dx);
    if (heading1 < 0) {
        heading1 += 2 * PI;
    }
    if (heading1 > 2 * PI) {
        heading1 -= 2 * PI;
    }

    dx = x1 - x2;
    dy = y1 - y2;
    if (dx == 0 && dy == 0) {
        return 0.0;
    }
    double heading0 = PI / 2 - atan2(dy, dx);
    if (heading0 < 0) {
        heading0 += 2 * PI;
    }
    if (heading0 > 2 * PI) {
        heading0 -= 2 * PI;
    }

    double diff = normalised(heading1 - heading0);
    return atan2(diff * gspeed, gacc * dt) / DEGREE;
}
