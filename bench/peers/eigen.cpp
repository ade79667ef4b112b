// eigen.cpp: the same jobs by Eigen.
#include "peers.h"
#include <Eigen/Dense>
#include <cstring>

typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Rows;
typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic> Columns;
typedef Eigen::Map<const Rows> In;
typedef Eigen::Map<const Columns> InColumns; // what is row-major A is its transpose here
typedef Eigen::Map<Rows> Out;

static void gemm(int n, double *out, const double *a, const double *b, double *) { Out(out, n, n).noalias() = In(a, n, n) * In(b, n, n); }
static void gemv(int n, double *out, const double *a, const double *b, double *) { Eigen::Map<Eigen::VectorXd>(out, n).noalias() = In(a, n, n) * Eigen::Map<const Eigen::VectorXd>(b, n); }
static void syrk(int n, double *out, const double *a, const double *, double *) {
  Out c(out, n, n);
  c.triangularView<Eigen::Lower>().setZero();
  c.selfadjointView<Eigen::Lower>().rankUpdate(In(a, n, n));
}
static void cholesky(int n, double *out, const double *, const double *b, double *) {
  Out c(out, n, n);
  c = In(b, n, n);
  Eigen::LLT<Eigen::Ref<Rows>, Eigen::Lower> llt(c);
}
static void diagonal(int n, double *out, const Columns &r) { Eigen::Map<Eigen::VectorXd>(out, n) = r.diagonal().cwiseAbs(); }
static void qr(int n, double *out, const double *a, const double *, double *) { diagonal(n, out, Eigen::HouseholderQR<Columns>(InColumns(a, n, n)).matrixQR()); }
static void qrp(int n, double *out, const double *a, const double *, double *) { diagonal(n, out, Eigen::ColPivHouseholderQR<Columns>(InColumns(a, n, n)).matrixQR()); }
static void svd(int n, double *out, const double *a, const double *, double *) {
  Eigen::BDCSVD<Columns> s(InColumns(a, n, n), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Map<Eigen::VectorXd>(out, n) = s.singularValues();
}

extern "C" void peer_eigen(peer_la *peer) {
  static const peer_la_fn all[PEER_LA_CASES] = {gemm, gemv, syrk, cholesky, qr, qrp, svd};
  std::strcpy(peer->name, "eigen");
  std::memcpy(peer->fn, all, sizeof all);
}
