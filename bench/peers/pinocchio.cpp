// pinocchio.cpp: Pinocchio's algorithms. Its model is made from ours, so that no URDF reader is needed.
#include "../../rbd/rbd.h"
#include "peers.h"
#include <cstring>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace pin = pinocchio;
struct Pair {
  pin::Model model;
  pin::Data data;
  Eigen::VectorXd q, v, x;
};
static Pair *of(peer_rbd *p) { return static_cast<Pair *>(p->handle); }

// Its quaternion is x y z w, and its base moves by velocities in the body's own axes: the harness keeps the base level, so they are the same.
static void load(peer_rbd *p, const double *q, const double *v, const double *x) {
  Pair *h = of(p);
  for (int i = 0; i < h->model.nq; i++) h->q[i] = q[i];
  for (int i = 0; i < 3; i++) h->q[3 + i] = q[4 + i];
  h->q[6] = q[3];
  for (int i = 0; i < h->model.nv; i++) h->v[i] = v[i], h->x[i] = x[i];
}
static void rnea(peer_rbd *p, double *tau) {
  Pair *h = of(p);
  pin::rnea(h->model, h->data, h->q, h->v, h->x);
  std::memcpy(tau, h->data.tau.data(), sizeof(double) * size_t(h->model.nv));
}
static void aba(peer_rbd *p, double *qdd) {
  Pair *h = of(p);
  pin::aba(h->model, h->data, h->q, h->v, h->x, pin::Convention::LOCAL);
  std::memcpy(qdd, h->data.ddq.data(), sizeof(double) * size_t(h->model.nv));
}
static void crba(peer_rbd *p) { // both triangles, as po_crba
  Pair *h = of(p);
  pin::crba(h->model, h->data, h->q, pin::Convention::LOCAL);
  h->data.M.triangularView<Eigen::StrictlyLower>() = h->data.M.transpose().triangularView<Eigen::StrictlyLower>();
}
static void jacobians(peer_rbd *p) { pin::computeJointJacobians(of(p)->model, of(p)->data, of(p)->q); }
static void cmm(peer_rbd *p) { pin::ccrba(of(p)->model, of(p)->data, of(p)->q, of(p)->v); }

static pin::SE3 pose(const po_pose &p) {
  pin::SE3::Matrix3 R;
  for (int i = 0; i < 9; i++) R(i / 3, i % 3) = p.R.m[i];
  return pin::SE3(R, pin::SE3::Vector3(p.p.x, p.p.y, p.p.z));
}

// Hinges about x, y and z are types of their own to Pinocchio, and faster than those about any axis.
static pin::JointModel axis_joint(const po_vec3 &a) {
  if (a.x == 1) return pin::JointModelRX();
  if (a.y == 1) return pin::JointModelRY();
  if (a.z == 1) return pin::JointModelRZ();
  return pin::JointModelRevoluteUnaligned(a.x, a.y, a.z);
}

static void make(pin::Model &model, const po_model *m) {
  std::vector<pin::JointIndex> made;
  for (int i = 0; i < m->nb; i++) {
    const po_joint &j = m->joint[i];
    const po_inertia &I = m->inertia[i];
    pin::JointIndex up = j.parent < 0 ? 0 : made[size_t(j.parent)], at;
    if (j.type == PO_JOINT_FLOATING) at = model.addJoint(up, pin::JointModelFreeFlyer(), pin::SE3::Identity(), "root");
    else if (j.type == PO_JOINT_REVOLUTE) at = model.addJoint(up, axis_joint(j.axis), pose(j.placement), m->body_name[i]);
    else throw std::runtime_error("only hinges and a floating base are known here");
    Eigen::Matrix3d rotational;
    for (int k = 0; k < 9; k++) rotational(k / 3, k % 3) = I.I.m[k];
    model.appendBodyToJoint(at, pin::Inertia(I.mass, Eigen::Vector3d(I.com.x, I.com.y, I.com.z), rotational), pin::SE3::Identity());
    made.push_back(at);
  }
}

extern "C" int peer_pinocchio(peer_rbd *peer, const struct po_model *ours) {
  static Pair pair;
  std::memset(peer, 0, sizeof *peer);
  std::snprintf(peer->name, sizeof peer->name, "pinocchio %s", PINOCCHIO_VERSION);
  try {
    make(pair.model, ours);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "peers: pinocchio: %s\n", e.what());
    return 0;
  }
  pair.data = pin::Data(pair.model);
  pair.q = pin::neutral(pair.model);
  pair.v = pair.x = Eigen::VectorXd::Zero(pair.model.nv);
  peer->handle = &pair;
  peer->nv = pair.model.nv;
  peer->load = load;
  peer->rnea = rnea;
  peer->aba = aba;
  peer->crba = crba;
  peer->jacobians = jacobians;
  peer->cmm = cmm;
  return 1;
}
