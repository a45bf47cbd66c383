#!/bin/bash
# A real Slurm of several pretend nodes on one Debian host, for tests. Needs root and the packages slurmctld,
# slurmd, slurm-client, munge and iproute2 (tools/setup PACKAGE... installs them).
#   slurm_local.sh up [ports|netns] [NODES] [GPUS_PER_NODE]
#   slurm_local.sh env                prints what to eval:  eval "$(slurm_local.sh env)"
#   slurm_local.sh kill-node nodeX    abrupt loss: SIGKILL of slurmd, its stepds and everything they run
#   slurm_local.sh cut-node nodeX     netns only: take the node's link down (processes live on, unreachable)
#   slurm_local.sh join-node nodeX    bring it back (starts slurmd where needed, link up, state resume)
#   slurm_local.sh pids nodeX         the processes that count as that node's
#   slurm_local.sh down               stops what `up` started, by process id; removes namespaces and state. `up` does
#                                     the same first where a cluster was left half way
# Settings by environment, at `up`:
#   SLURM_LOCAL_CGROUP=1   proctrack/cgroup, task/cgroup, ConstrainDevices (cgroup v1)
#   SLURMD_TIMEOUT=10 KILL_WAIT=10 GRACE=5   seconds (Slurm's own defaults: 300, 30, 0)
#   KEEP_LOGS=DIR          at `down`: copy the logs there
# Everything lies under $SLURM_LOCAL_DIR (default /run/slurm_local); /etc/slurm and /etc/munge stay untouched.
# One at a time on a host: ports, bridge and namespace names are fixed. A job directory must lie outside /tmp in
# netns mode (each node has a /tmp, a /dev/shm and a /run/lock of its own).
set -euo pipefail
D=${SLURM_LOCAL_DIR:-/run/slurm_local}
NET=${SLURM_LOCAL_NET:-10.77.0} BR=slurmbr0
HOST=$(hostname -s)
say() { printf '%s\n' "$*" >&2; }
nodes() { seq -f 'node%g' 1 "$(cat "$D/n")"; }
mode() { cat "$D/mode"; }

write_conf() { # mode nodes gpus
  local mode=$1 n=$2 g=$3 ctl=127.0.0.1 i
  local track=linuxproc task=none
  [[ $mode = netns ]] && ctl=$NET.254
  [[ ${SLURM_LOCAL_CGROUP:-} ]] && track=cgroup task=cgroup
  cat >"$D/etc/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$HOST($ctl)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$D/munge/munge.socket
SlurmctldPort=16817
StateSaveLocation=$D/state
SlurmctldPidFile=$D/run/slurmctld.pid
SlurmctldLogFile=$D/log/slurmctld.log
# one host carries every node, so each path names its node
SlurmdSpoolDir=$D/spool/%n
SlurmdPidFile=$D/run/slurmd.%n.pid
SlurmdLogFile=$D/log/slurmd.%n.log
SlurmdDebug=verbose
# nodes promise more CPUs than the host has: take the file's word for it
SlurmdParameters=config_overrides
# without SLURM_LOCAL_CGROUP: no cgroups, no systemd, no CAP_SYS_RESOURCE needed
ProctrackType=proctrack/$track
TaskPlugin=task/$task
JobAcctGatherType=jobacct_gather/none
PropagateResourceLimits=NONE
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=2
ReturnToService=2
# quick to notice a lost node (production: SlurmdTimeout=300)
SlurmdTimeout=${SLURMD_TIMEOUT:-10}
SlurmctldTimeout=10
MessageTimeout=5
TCPTimeout=2
InactiveLimit=0
KillWait=${KILL_WAIT:-10}
MinJobAge=3600
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobCompType=jobcomp/filetxt
JobCompLoc=$D/log/jobcomp.txt
GresTypes=gpu
CONF
  echo AccountingStorageType=accounting_storage/none >>"$D/etc/slurm.conf"
  for i in $(seq 1 "$n"); do
    local addr=127.0.0.1 port=$((17000 + i)) hn=$HOST
    [[ $mode = netns ]] && addr=$NET.$i port=17000 hn=node$i
    # NodeHostname=$HOST lets `slurmd -N` of several nodes run on one host
    [[ $mode = ports ]] && hn=$HOST
    echo "NodeName=node$i NodeAddr=$addr NodeHostname=$hn Port=$port CPUs=4 RealMemory=2000 Gres=gpu:fake:$g State=UNKNOWN" >>"$D/etc/slurm.conf"
  done
  cat >>"$D/etc/slurm.conf" <<CONF
PartitionName=batch Nodes=node[1-$n] Default=YES MaxTime=1-00:00:00 DefaultTime=00:10:00 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=${GRACE:-5}
PartitionName=urgent Nodes=node[1-$n] MaxTime=1-00:00:00 DefaultTime=00:10:00 State=UP PriorityTier=10 PreemptMode=OFF
CONF
  # Gres with File=: Slurm hands out indices and sets CUDA_VISIBLE_DEVICES (Count= alone leaves the node INVAL).
  # Numbers of their own (major 240: local use; never 1:3, which is /dev/null), so that cgroup device rules can
  # tell them apart: opening one gives ENXIO where allowed, EPERM where denied.
  : >"$D/etc/gres.conf"
  for i in $(seq 0 $((g - 1))); do
    [[ -e $D/dev/fakegpu$i ]] || mknod -m 666 "$D/dev/fakegpu$i" c 240 "$i"
  done
  cat >"$D/etc/gres.conf" <<CONF
AutoDetect=off
NodeName=node[1-$n] Name=gpu Type=fake File=$D/dev/fakegpu[0-$((g - 1))]
CONF
  # read by proctrack/cgroup and task/cgroup alone (slurmd -N makes /sys/fs/cgroup/*/slurm_nodeX of its own)
  printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup CgroupAutomount=no ConstrainDevices=yes >"$D/etc/cgroup.conf"
}

start_slurmd() { # node
  local n=$1
  mkdir -p "$D/spool/$n" "$D/tmp/$n"; chmod 1777 "$D/tmp/$n"
  if [[ $(mode) = netns ]]; then
    # own network, own host name, own /dev/shm, /tmp and /run/lock: nothing passes between "nodes" but the network and the
    # shared rest of the file system (which stands for NFS). nsenter, not ip netns exec: that one would mount a
    # fresh /sys and hide the cgroups.
    nsenter --net="/run/netns/sl-$n" unshare --uts --mount bash -c '
      hostname "$1"; mount --bind "$2/etc/hosts" /etc/hosts
      mount -t tmpfs none /dev/shm; mount --bind "$2/tmp/$1" /tmp
      [[ ! -d /run/lock ]] || mount -t tmpfs -o mode=1777 none /run/lock
      exec env SLURM_CONF="$2/etc/slurm.conf" slurmd -N "$1" -f "$2/etc/slurm.conf"' _ "$n" "$D"
  else
    SLURM_CONF="$D/etc/slurm.conf" slurmd -N "$n" -f "$D/etc/slurm.conf"
  fi
}

up() {
  local mode=${1:-ports} n=${2:-4} g=${3:-2} t0 i
  is_up && { say "already up under $D"; exit 1; }
  clear_away
  t0=$(date +%s.%N)
  mkdir -p "$D"/{etc,state,spool,log,run,dev,munge}
  chmod 755 "$D" "$D"/{etc,log,run,dev,munge}
  echo "$mode" >"$D/mode"; echo "$n" >"$D/n"
  # a munge of our own: own key, own socket
  (umask 077; head -c 1024 /dev/urandom >"$D/munge/munge.key")
  munged --key-file="$D/munge/munge.key" --socket="$D/munge/munge.socket" --pid-file="$D/run/munged.pid" \
    --log-file="$D/munge/munged.log" --seed-file="$D/munge/munge.seed"
  if [[ $mode = netns ]]; then
    { echo "127.0.0.1 localhost"; echo "$NET.254 $HOST"; for i in $(seq 1 "$n"); do echo "$NET.$i node$i"; done; } >"$D/etc/hosts"
    ip link add "$BR" type bridge; ip addr add "$NET.254/24" dev "$BR"; ip link set "$BR" up
    for i in $(seq 1 "$n"); do
      ip netns add "sl-node$i"
      ip link add "slv$i" type veth peer name eth0 netns "sl-node$i"
      ip link set "slv$i" master "$BR" up
      ip -n "sl-node$i" addr add "$NET.$i/24" dev eth0
      ip -n "sl-node$i" link set eth0 up; ip -n "sl-node$i" link set lo up
    done
  fi
  write_conf "$mode" "$n" "$g"
  SLURM_CONF="$D/etc/slurm.conf" slurmctld -f "$D/etc/slurm.conf"
  for i in $(nodes); do start_slurmd "$i"; done
  export SLURM_CONF="$D/etc/slurm.conf"
  for i in $(seq 1 150); do
    [[ "$(sinfo -h -p batch -t idle -o %D 2>/dev/null || true)" = "$n" ]] && break
    sleep 0.1
  done
  sinfo -p batch >&2
  [[ "$(sinfo -h -p batch -t idle -o %D)" = "$n" ]] || { tail -n 3 "$D"/log/slurmd.*.log >&2; say "not all nodes came up"; exit 1; }
  say "up in $(awk -v a="$t0" -v b="$(date +%s.%N)" 'BEGIN{printf "%.2f", b-a}') s"
}

tree() { # pid: it and all below it, children last
  local p=$1 c
  echo "$p"
  for c in $(cat /proc/"$p"/task/*/children 2>/dev/null || true); do tree "$c"; done
}
# What runs on a node: in netns mode whatever is in its namespace; in ports mode slurmd and its stepds (each has
# the node's log file open), what they started, and any process whose environment names the node and this cluster
# (an evaluator may have left the process tree with setsid or a double fork).
node_pids() { # node
  local n=$1 p e
  [[ $(mode) = netns ]] && { ip netns pids "sl-$n" 2>/dev/null; return 0; }
  for p in /proc/[0-9]*; do
    [[ $p = /proc/$$ ]] && continue
    case $(cat "$p/comm" 2>/dev/null) in
      slurmd | slurmstepd) find "$p/fd" -lname "$D/log/slurmd.$n.log" 2>/dev/null | grep -q . && tree "${p#/proc/}" ;;
      *) e=$(tr '\0' '\n' 2>/dev/null <"$p/environ") || continue
        [[ $'\n'$e$'\n' = *$'\n'SLURM_CONF=$D/etc/slurm.conf$'\n'* && $'\n'$e$'\n' = *$'\n'SLURMD_NODENAME=$n$'\n'* ]] && echo "${p#/proc/}" ;;
    esac
  done
  return 0
}
kill_node() {
  local pids
  pids=$(node_pids "$1" | sort -un)
  [[ $pids ]] || return 0
  say "killing:" $pids
  # shellcheck disable=SC2086
  kill -KILL $pids 2>/dev/null || true
  rm -f "$D/run/slurmd.$1.pid"
}
stop_pid_file() {
  local p
  [[ -s $1 ]] || return 0
  p=$(cat "$1")
  kill -TERM "$p" 2>/dev/null || return 0
  for _ in $(seq 1 50); do kill -0 "$p" 2>/dev/null || return 0; sleep 0.1; done
  kill -KILL "$p" 2>/dev/null || true
}
is_up() { [[ -s $D/run/slurmctld.pid ]] && kill -0 "$(cat "$D/run/slurmctld.pid")" 2>/dev/null; }
# Its daemons, also those whose files are gone: an `up` that was killed has written no number of them yet.
stop_daemons() {
  local p
  stop_pid_file "$D/run/slurmctld.pid"
  stop_pid_file "$D/run/munged.pid"
  for p in /proc/[0-9]*; do
    case $(tr '\0' ' ' 2>/dev/null <"$p/cmdline") in
      "slurmctld -f $D/etc/slurm.conf "* | "slurmd -N "*" -f $D/etc/slurm.conf "* | "munged --key-file=$D/munge/munge.key "*)
        kill -KILL "${p#/proc/}" 2>/dev/null || true ;;
    esac
  done
}
# All that there is of a cluster, whole or not: `up` or `down` may have been killed in the middle.
clear_away() {
  local i netns=
  export SLURM_CONF="$D/etc/slurm.conf"
  command -v ip >/dev/null && netns=$(ip netns list 2>/dev/null | sed -n 's/^sl-\(node[0-9]*\).*/\1/p')
  [[ ! -s $D/mode || ! -s $D/n ]] || for i in $(nodes); do kill_node "$i"; done
  stop_daemons
  for i in $netns; do
    ip netns pids "sl-$i" | xargs -r kill -KILL 2>/dev/null || true
    ip link del "slv${i#node}" 2>/dev/null || true # at once: the namespace itself goes when its last process is gone
    ip netns del "sl-$i" 2>/dev/null || true
  done
  [[ ! -e /sys/class/net/$BR ]] || ip link del "$BR" || true
  # empty cgroups, innermost first
  find /sys/fs/cgroup -depth -mindepth 2 -type d -path "*/slurm_node*" -exec rmdir {} + 2>/dev/null || true
  rm -rf "$D"
}
down() {
  [[ ! ${KEEP_LOGS:-} || ! -d $D/log ]] || cp -r "$D/log" "$KEEP_LOGS"
  clear_away
}
case ${1:-} in
  up) shift; up "$@" ;;
  env) echo "export SLURM_CONF=$D/etc/slurm.conf" ;;
  kill-node) kill_node "$2" ;;
  cut-node) ip link set "slv${2#node}" down ;;
  join-node)
    [[ $(mode) = netns ]] && ip link set "slv${2#node}" up
    kill -0 "$(cat "$D/run/slurmd.$2.pid" 2>/dev/null)" 2>/dev/null || start_slurmd "$2"
    SLURM_CONF="$D/etc/slurm.conf" scontrol update nodename="$2" state=resume 2>/dev/null || true ;;
  pids) node_pids "$2" ;;
  down) down ;;
  *) sed -n '2,19p' "$0"; exit 2 ;;
esac
