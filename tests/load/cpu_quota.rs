//! Holds a server to a share of a core by a cgroup: a machine that others keep busy, in a form
//! that can be repeated.
//!
//! Both versions of cgroups will do: `cpu.max` of version 2, and `cpu.cfs_quota_us` of version 1.
//! The group is made below this program's own, which needs root or a delegated group.

use anyhow::{Context, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// The period of the quota in microseconds: the kernel's default.
const PERIOD_MICROS: u32 = 100_000;
/// The shortest quota that the kernel takes, in microseconds.
const MIN_QUOTA_MICROS: f64 = 1_000.0;
const PROCESSES: &str = "cgroup.procs";

/// A cgroup with a quota, deleted when it is dropped: its processes return to the group above.
#[derive(Debug)]
pub(crate) struct CpuQuota {
    group: PathBuf,
    above: PathBuf,
}

/// The controller of processor time, and the group in which this program runs.
#[derive(Debug, PartialEq, Eq)]
struct Hierarchy {
    is_version_2: bool,
    above: PathBuf,
}

impl CpuQuota {
    /// Holds a process, with all its threads, to a share of one core.
    pub(crate) fn hold(process: u32, share: f64) -> anyhow::Result<Self> {
        let made = Self::new(share).and_then(|quota| {
            write(&quota.group.join(PROCESSES), &process.to_string())?;
            Ok(quota)
        });
        made.context("--cpu-share needs a cgroup that limits processor time, and none can be made")
    }

    /// Fails, and says why, where no such group can be made.
    pub(crate) fn check() -> anyhow::Result<()> {
        Self::new(1.0).map(drop)
    }

    fn new(share: f64) -> anyhow::Result<Self> {
        let quota = share * f64::from(PERIOD_MICROS);
        ensure!(quota >= MIN_QUOTA_MICROS, "a share of {share} of a core is below 0.01");
        let mounts = fs::read_to_string("/proc/mounts").context("no /proc/mounts")?;
        let own = fs::read_to_string("/proc/self/cgroup").context("no /proc/self/cgroup")?;
        let Hierarchy { is_version_2, above } = Hierarchy::find(&mounts, &own)
            .context("no cgroup file system with the cpu controller is mounted")?;
        if is_version_2 {
            write(&above.join("cgroup.subtree_control"), "+cpu")?;
        }
        let group = above.join(format!("gridrace-load-{}", std::process::id()));
        fs::create_dir(&group).with_context(|| format!("can't make {}", group.display()))?;
        let made = Self { group, above };
        let quota = quota as u64;
        if is_version_2 {
            write(&made.group.join("cpu.max"), &format!("{quota} {PERIOD_MICROS}"))?;
        } else {
            write(&made.group.join("cpu.cfs_period_us"), &PERIOD_MICROS.to_string())?;
            write(&made.group.join("cpu.cfs_quota_us"), &quota.to_string())?;
        }
        Ok(made)
    }
}

impl Drop for CpuQuota {
    fn drop(&mut self) {
        let processes = fs::read_to_string(self.group.join(PROCESSES)).unwrap_or_default();
        for process in processes.lines() {
            // One that has ended needs no other group.
            write(&self.above.join(PROCESSES), process).ok();
        }
        if let Err(error) = fs::remove_dir(&self.group) {
            eprintln!("can't delete {}: {error}", self.group.display());
        }
    }
}

impl Hierarchy {
    /// Reads `/proc/mounts` and `/proc/self/cgroup`. Where both versions are mounted, one of them
    /// has the controller.
    fn find(mounts: &str, own: &str) -> Option<Self> {
        mounts.lines().find_map(|mount| {
            let mut fields = mount.split_whitespace().skip(1);
            let (at, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
            let is_version_2 = match kind {
                "cgroup" if options.split(',').any(|option| option == "cpu") => false,
                "cgroup2" => true,
                _ => return None,
            };
            let above = own_group(Path::new(at), own, is_version_2);
            let has_controller = || {
                let all = fs::read_to_string(above.join("cgroup.controllers")).unwrap_or_default();
                all.split_whitespace().any(|controller| controller == "cpu")
            };
            (!is_version_2 || has_controller()).then_some(Self { is_version_2, above })
        })
    }
}

/// Returns the folder of this program's own group: in a container, which sees only a part of the
/// hierarchy, that of the container.
fn own_group(mount: &Path, own: &str, is_version_2: bool) -> PathBuf {
    let path = own.lines().find_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let is_meant = if is_version_2 {
            controllers.is_empty()
        } else {
            controllers.split(',').any(|controller| controller == "cpu")
        };
        is_meant.then(|| mount.join(path.trim_start_matches('/')))
    });
    path.filter(|path| path.is_dir()).unwrap_or_else(|| mount.to_owned())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("can't write {text:?} to {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "3:cpuset:/\n2:cpu,cpuacct:/\n0::/\n";

    #[test]
    fn version_1_is_known_by_the_controller_in_its_options() {
        let mounts = "cgroup /somewhere/cpuset cgroup rw,cpuset 0 0\n\
                      cgroup /somewhere/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n";
        let above = PathBuf::from("/somewhere/cpu,cpuacct");
        let expected = Hierarchy { is_version_2: false, above };
        assert_eq!(Hierarchy::find(mounts, OWN), Some(expected));
    }

    #[test]
    fn version_2_needs_the_controller_in_the_own_group() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        let mounts = format!("none {at} cgroup2 rw,nosuid 0 0\n");
        assert_eq!(Hierarchy::find(&mounts, OWN), None);
        fs::write(folder.path().join("cgroup.controllers"), "cpuset cpu io\n").unwrap();
        let expected = Hierarchy { is_version_2: true, above: folder.path().to_owned() };
        assert_eq!(Hierarchy::find(&mounts, OWN), Some(expected));
    }

    #[test]
    fn a_group_of_the_program_is_used_where_it_is_visible() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("user.slice/run.scope");
        let own = "0::/user.slice/run.scope\n";
        assert_eq!(own_group(folder.path(), own, true), folder.path());
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(own_group(folder.path(), own, true), inner);
    }

    #[test]
    fn a_share_that_the_kernel_refuses_is_named() {
        let error = CpuQuota::new(0.001).unwrap_err().to_string();
        assert_eq!(error, "a share of 0.001 of a core is below 0.01");
    }
}
