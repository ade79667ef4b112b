// solver_plugin.cpp: a cascade of least squares on Eigen's dense factorizations, for `poise bench hqp FILE --solver`. Equalities only, whatever their rank; rows that
// are inequalities are left out, which the table shows. LexLS and other header-only solvers enter by the same four functions.
//
//   c++ -O3 -march=native -DNDEBUG -I/usr/include/eigen3 -shared -fPIC -o libplugin.so solver_plugin.cpp
#include "../../bench/solver.h"

#include <Eigen/Dense>

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

extern "C" const char *po_solver_name(int *abi) {
  *abi = PO_SOLVER_ABI;
  return "Eigen cascade";
}
extern "C" void *po_solver_make(int, int, int, int) { return new int(0); }
extern "C" void po_solver_free(void *self) { delete static_cast<int *>(self); }

extern "C" int po_solver_solve(void *, const po_solver_problem *p, const double *, po_solver_answer *answer) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(p->n);
  Eigen::MatrixXd Z = Eigen::MatrixXd::Identity(p->n, p->n); // what the levels above leave free
  int row = 0;
  for (int k = 0; k < p->levels && Z.cols() > 0; row += p->level_rows[k++]) {
    Matrix A(p->level_rows[k], p->n);
    Eigen::VectorXd b(p->level_rows[k]);
    int m = 0;
    for (int i = row; i < row + p->level_rows[k]; i++) {
      if (p->lower[i] != p->upper[i]) continue;
      A.row(m) = Eigen::Map<const Eigen::RowVectorXd>(p->A + static_cast<long>(i) * p->n, p->n);
      b[m++] = p->lower[i];
    }
    if (!m) continue;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod((A.topRows(m) * Z).eval());
    cod.setThreshold(1e-10);
    x += Z * cod.solve(b.head(m) - A.topRows(m) * x);
    const Eigen::MatrixXd Q = Eigen::FullPivHouseholderQR<Eigen::MatrixXd>((A.topRows(m) * Z).transpose().eval()).matrixQ();
    Z = (Z * Q.rightCols(Z.cols() - cod.rank())).eval();
  }
  Eigen::Map<Eigen::VectorXd>(answer->x, p->n) = x;
  answer->solved = 1;
  return 0;
}
