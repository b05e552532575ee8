//! The reader's time zone.

use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::path::Path;

/// The zone of the system: a link into the folder of zones, or a copy of one.
const LOCAL: &str = "/etc/localtime";
/// The folder of zones, as it ends in every link.
const FOLDER: &str = "zoneinfo/";

/// The zone by `TZ`, else the system's, else UTC.
pub(crate) fn zone(variables: &HashMap<String, String>) -> TimeZone {
    let linked = if variables.contains_key("TZ") { None } else { linked(Path::new(LOCAL)) };
    linked.unwrap_or_else(TimeZone::system)
}

/// The zone that a link leads to. By its name, the library would first read all names in the folder of zones, which takes
/// longer than a short command should.
fn linked(link: &Path) -> Option<TimeZone> {
    let target = std::fs::read_link(link).ok()?;
    let (_, name) = target.to_str()?.split_once(FOLDER)?;
    TimeZone::tzif(name, &std::fs::read(link).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Version 1 of the format, with one type: UTC+1, `CET`.
    fn one_zone() -> Vec<u8> {
        let counts: [u32; 6] = [0, 0, 0, 0, 1, 4];
        let header = [b"TZif\0".as_slice(), &[0; 15]].concat();
        let counts = counts.iter().flat_map(|it| it.to_be_bytes()).collect();
        [header, counts, 3_600_i32.to_be_bytes().to_vec(), vec![0, 0], b"CET\0".to_vec()].concat()
    }

    #[test]
    fn a_link_names_its_zone_and_anything_else_is_left_to_the_library() {
        let folder = tempfile::tempdir().unwrap();
        let zones = folder.path().join("zoneinfo/Europe");
        std::fs::create_dir_all(&zones).unwrap();
        std::fs::write(zones.join("Here"), one_zone()).unwrap();
        std::fs::write(zones.join("Torn"), &one_zone()[..20]).unwrap();
        let check = |target: &str, expected: Option<&str>| {
            let link = folder.path().join("localtime");
            symlink(folder.path().join(target), &link).unwrap();
            let found = linked(&link);
            std::fs::remove_file(&link).unwrap();
            assert_eq!(found.as_ref().map(TimeZone::iana_name), expected.map(Some), "{target}");
        };
        check("zoneinfo/Europe/Here", Some("Europe/Here"));
        check("zoneinfo/Europe/Torn", None);
        check("zoneinfo/Europe/Gone", None);
        check("elsewhere", None);
        assert!(linked(&zones.join("Here")).is_none(), "a copy has no name");
    }
}
