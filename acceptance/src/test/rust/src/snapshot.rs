//! The diagnostic snapshot: a ZIP with what was asked for, packed as was asked.

use crate::scenario::*;
use iggy::prelude::*;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    let stored = done!(client.snapshot(SnapshotCompression::Stored, vec![SystemSnapshotType::Test])).0;
    assert_eq!(names(&stored), ["test.txt"], "the entries of a snapshot");
    assert_eq!(first_stored(&stored).trim_ascii(), b"test", "the content of the entry test, which is not packed");

    let configuration = done!(client.snapshot(SnapshotCompression::Stored, vec![SystemSnapshotType::ServerConfig])).0;
    assert_eq!(names(&configuration), ["server_config.txt"], "the entries of a snapshot");
    assert!(holds(&configuration, server.address.as_bytes()), "the configuration tells the bound address");

    let some = vec![SystemSnapshotType::ResourceUsage, SystemSnapshotType::ServerLogs];
    let some = done!(client.snapshot(SnapshotCompression::Deflated, some)).0;
    assert_eq!(names(&some), ["resource_usage.txt", "server_logs.txt"], "the entries of a snapshot");

    let all = done!(client.snapshot(SnapshotCompression::Deflated, vec![SystemSnapshotType::All])).0;
    let mut every: Vec<String> =
        SystemSnapshotType::all_snapshot_types().iter().map(|section| format!("{section}.txt")).collect();
    every.sort();
    assert_eq!(names(&all), every, "the entries of a whole snapshot");

    // The codes of the methods as the ZIP format numbers them.
    for (compression, method) in [
        (SnapshotCompression::Stored, 0),
        (SnapshotCompression::Deflated, 8),
        (SnapshotCompression::Bzip2, 12),
        (SnapshotCompression::Zstd, 93),
        (SnapshotCompression::Lzma, 14),
        (SnapshotCompression::Xz, 95),
    ] {
        if server.is_reference {
            // It still counts the one before as running for a moment.
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        let zip = done!(client.snapshot(compression, vec![SystemSnapshotType::Test])).0;
        assert_eq!(names(&zip), ["test.txt"], "the entries under {compression}");
        assert_eq!(u16::from_le_bytes([zip[8], zip[9]]), method, "the method of {compression}");
    }

    let mixed = vec![SystemSnapshotType::All, SystemSnapshotType::Test];
    refused!(client.snapshot(SnapshotCompression::Stored, mixed), 3);
    done!(client.create_user("snapshooter", "secret-1", UserStatus::Active, None));
    let nobody = server.logged_in_as("snapshooter", "secret-1").await;
    refused!(nobody.snapshot(SnapshotCompression::Stored, vec![SystemSnapshotType::Test]), 41);
    done!(client.delete_user(&id("snapshooter")));
}

/// The names of a ZIP's entries, sorted, from its central directory.
fn names(zip: &[u8]) -> Vec<String> {
    assert!(zip.starts_with(b"PK\x03\x04"), "a ZIP starts with PK 3 4: {:?}", &zip[..zip.len().min(8)]);
    let at = |place: usize| u16::from_le_bytes([zip[place], zip[place + 1]]) as usize;
    let mut names: Vec<String> = (0..zip.len().saturating_sub(46))
        .filter(|place| zip[*place..].starts_with(b"PK\x01\x02"))
        .map(|place| String::from_utf8_lossy(&zip[place + 46..place + 46 + at(place + 28)]).into_owned())
        .collect();
    names.sort();
    names
}

/// The content of a ZIP's first entry, which must not be packed.
fn first_stored(zip: &[u8]) -> &[u8] {
    let at = |place: usize| u16::from_le_bytes([zip[place], zip[place + 1]]) as usize;
    let directory = (0..zip.len()).find(|place| zip[*place..].starts_with(b"PK\x01\x02")).expect("a directory");
    let start = 30 + at(26) + at(28);
    &zip[start..start + at(directory + 24)]
}

fn holds(zip: &[u8], part: &[u8]) -> bool {
    zip.windows(part.len()).any(|window| window == part)
}
