#!/usr/bin/env bash
# Boots systemd in namespaces of its own: usage: boot-systemd.sh WORK NODE PROJECT
#
# Run it as `unshare --mount --pid --fork --cgroup --uts --ipc --kill-child boot-systemd.sh …`. The root of the new system
# is that of this machine, with all changes in memory and NODE as /usr/bin/node. Of all units, only the journal runs. It
# shares the network. WORK is an empty folder. The folder PROJECT is at /project, also with all changes in memory. It may lie
# below /tmp, which is empty in the new system.
set -euo pipefail

work=$1 node=$2 project=$3
memory=$work/memory
root=$memory/root

mkdir -p "$memory"
mount -t tmpfs tmpfs "$memory"
mkdir "$memory/upper" "$memory/overlay" "$memory/project" "$memory/project-overlay" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$memory/upper,workdir=$memory/overlay" "$root"

mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
# The unified hierarchy, also on a machine that has the older one.
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp dev; do mount -t tmpfs tmpfs "$root/$folder"; done
mkdir "$root/project"
mount -t overlay overlay -o "lowerdir=$project,upperdir=$memory/project,workdir=$memory/project-overlay" "$root/project"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"

rm -rf "$root"/{usr/lib,lib,etc}/systemd/system/*.wants "$root"/etc/systemd/system/* "$root"/{etc,opt}/inventory
cp --remove-destination "$node" "$root/usr/bin/node"
cat >"$root/etc/systemd/system/only.target" <<END
[Unit]
Requires=systemd-journald.service
END

mount --make-rprivate /
mkdir "$root/old"
cd "$root"
pivot_root . old
cd /
umount --lazy /old
# As at boot: systemd gives each unit mounts of its own.
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=only.target
