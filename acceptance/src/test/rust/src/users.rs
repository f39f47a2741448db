//! Users, their passwords and what they may do.

use crate::scenario::*;
use iggy::prelude::*;
use std::collections::BTreeMap;

pub async fn run(server: &Server) {
    let root = server.logged_in().await;
    accounts(&root, server).await;
    passwords(&root, server).await;
    permissions(&root, server).await;
    the_root_user(&root).await;
}

async fn accounts(root: &IggyClient, server: &Server) {
    let created = done!(root.create_user("ada", "secret-1", UserStatus::Active, None));
    assert_eq!((created.username.as_str(), created.status), ("ada", UserStatus::Active), "{created:?}");
    assert!(created.permissions.is_none() && created.created_at.as_micros() > 0, "{created:?}");
    refused!(root.create_user("ada", "secret-2", UserStatus::Active, None), 46);
    let list = done!(root.get_users());
    for name in ["iggy", "ada"] {
        assert!(list.iter().any(|user| user.username == name), "{name} is not in {list:?}");
    }
    let by_name = done!(root.get_user(&id("ada"))).expect("the user by name");
    let by_id = done!(root.get_user(&numeric(created.id))).expect("the user by id");
    assert_eq!((by_name.id, by_id.username.as_str()), (created.id, "ada"));
    assert!(done!(root.get_user(&id("nobody-here"))).is_none(), "a missing user");

    let ada = server.logged_in_as("ada", "secret-1").await;
    assert_eq!(done!(ada.get_me()).user_id, Some(created.id), "the user of the session");
    let itself = done!(ada.get_user(&numeric(created.id))).expect("the own record");
    assert_eq!(itself.username, "ada", "a user may read its own record");
    refused!(ada.get_users(), 41);
    refused!(ada.create_user("eve", "secret-1", UserStatus::Active, None), 41);

    let nothing = UserUpdateOptions::default();
    done!(root.update_user(&id("ada"), Some("countess"), None, &nothing));
    assert!(done!(root.get_user(&id("ada"))).is_none(), "a user under its old name");
    refused!(server.connected().await.login_user("ada", "secret-1"), 42);
    let countess = server.logged_in_as("countess", "secret-1").await;
    refused!(root.update_user(&id("countess"), Some("iggy"), None, &nothing), 46);
    refused!(root.update_user(&id("nobody-here"), Some("somebody"), None, &nothing), 20);
    let odd = UserUpdateOptions { raw: BTreeMap::from([("colour".to_owned(), "red".to_owned())]) };
    refused!(root.update_user(&id("countess"), None, None, &odd), 4041);

    done!(root.update_user(&id("countess"), None, Some(UserStatus::Inactive), &nothing));
    assert_eq!(done!(root.get_user(&id("countess"))).map(|user| user.status), Some(UserStatus::Inactive));
    refused!(server.connected().await.login_user("countess", "secret-1"), 42);
    done!(countess.get_me());
    done!(root.update_user(&id("countess"), None, Some(UserStatus::Active), &nothing));
    server.logged_in_as("countess", "secret-1").await;

    done!(root.delete_user(&id("countess")));
    assert!(done!(root.get_user(&id("countess"))).is_none(), "a deleted user");
    refused!(server.connected().await.login_user("countess", "secret-1"), 42);
    refused!(root.delete_user(&id("countess")), 20);
}

async fn passwords(root: &IggyClient, server: &Server) {
    done!(root.create_user("grace", "first-password", UserStatus::Active, None));
    let grace = server.logged_in_as("grace", "first-password").await;
    refused!(grace.change_password(&id("grace"), "wrong", "second-password"), 42);
    done!(grace.ping());
    done!(grace.change_password(&id("grace"), "first-password", "second-password"));
    done!(grace.get_me());
    refused!(server.connected().await.login_user("grace", "first-password"), 42);
    server.logged_in_as("grace", "second-password").await;

    done!(root.change_password(&id("grace"), "second-password", "third-password"));
    refused!(root.change_password(&id("grace"), "second-password", "fourth-password"), 42);
    refused!(root.change_password(&id("nobody-here"), "second-password", "fourth-password"), 20);
    refused!(grace.change_password(&id("iggy"), "iggy", "owned-by-grace"), 41);
    server.logged_in_as("grace", "third-password").await;
    server.logged_in().await;
    done!(root.delete_user(&id("grace")));
}

async fn permissions(root: &IggyClient, server: &Server) {
    create(root, "permitted", "open", 1).await;
    done!(root.create_topic(&id("permitted"), "closed", &partitions(1)));
    create(root, "forbidden", "closed", 1).await;
    send(root, "permitted", "open", 0, 0..3).await;
    let stream = done!(root.get_stream(&id("permitted"))).expect("the stream");
    let open = stream.topics.iter().find(|topic| topic.name == "open").expect("the topic").id as usize;

    let reader = Permissions {
        global: GlobalPermissions::default(),
        streams: Some(BTreeMap::from([(
            stream.id as usize,
            StreamPermissions {
                read_stream: false,
                topics: Some(BTreeMap::from([(open, TopicPermissions { poll_messages: true, ..Default::default() })])),
                ..Default::default()
            },
        )])),
    };
    let created = done!(root.create_user("lin", "secret-1", UserStatus::Active, Some(reader.clone())));
    assert_eq!(created.permissions, Some(reader.clone()), "the permissions that were given");
    assert_eq!(done!(root.get_user(&id("lin"))).and_then(|user| user.permissions), Some(reader), "and are told");

    let lin = server.logged_in_as("lin", "secret-1").await;
    let who = Consumer::new(numeric(1));
    let first = PollingStrategy::first();
    let poll = async |stream: &str, topic: &str| {
        lin.poll_messages(&id(stream), &id(topic), Some(0), &who, &first, 10, false).await
    };
    let put = async |stream: &str, topic: &str| {
        let mut batch = vec![message("from lin")];
        lin.send_messages(&id(stream), &id(topic), &Partitioning::partition_id(0), &mut batch).await
    };
    assert_eq!(texts(&done!(poll("permitted", "open"))), ["0", "1", "2"], "a permitted poll");
    refused!(poll("permitted", "closed"), 41);
    refused!(poll("forbidden", "closed"), 41);
    refused!(put("permitted", "open"), 41);
    refused!(lin.get_topic(&id("permitted"), &id("open")), 41);
    refused!(lin.get_streams(), 41);
    refused!(lin.get_stats(), 41);
    refused!(lin.get_clients(), 41);
    refused!(lin.create_stream("by-lin"), 41);
    refused!(lin.update_permissions(&id("lin"), Some(Permissions::root())), 41);

    let writer = Permissions {
        global: GlobalPermissions { send_messages: true, read_streams: true, ..Default::default() },
        streams: None,
    };
    done!(root.update_permissions(&id("lin"), Some(writer.clone())));
    assert_eq!(
        done!(root.get_user(&id("lin"))).and_then(|user| user.permissions),
        Some(writer),
        "the whole set is replaced"
    );
    done!(put("permitted", "open"));
    done!(put("forbidden", "closed"));
    assert_eq!(done!(poll("permitted", "open")).messages.len(), 4, "read_streams lets poll");
    assert!(done!(lin.get_streams()).len() >= 2, "read_streams lets list");
    refused!(lin.delete_topic(&id("permitted"), &id("open")), 41);
    refused!(lin.get_stats(), 41);

    done!(root.update_permissions(&id("lin"), None));
    refused!(put("permitted", "open"), 41);
    refused!(poll("permitted", "open"), 41);
    refused!(root.update_permissions(&id("nobody-here"), None), 20);

    let administrator = Permissions {
        global: GlobalPermissions {
            manage_users: true,
            manage_servers: true,
            manage_streams: true,
            ..Default::default()
        },
        streams: None,
    };
    done!(root.update_permissions(&id("lin"), Some(administrator)));
    done!(lin.create_user("by-lin", "secret-1", UserStatus::Active, None));
    done!(lin.delete_user(&id("by-lin")));
    done!(lin.get_stats());
    done!(lin.create_stream("by-lin"));
    done!(lin.delete_stream(&id("by-lin")));

    done!(root.delete_user(&id("lin")));
    done!(root.delete_stream(&id("permitted")));
    done!(root.delete_stream(&id("forbidden")));
}

async fn the_root_user(root: &IggyClient) {
    let itself = done!(root.get_user(&numeric(0))).expect("the root user");
    assert_eq!((itself.username.as_str(), itself.status), ("iggy", UserStatus::Active), "{itself:?}");
    assert_eq!(itself.permissions, Some(Permissions::root()), "the root user may do everything");
    refused!(root.delete_user(&id("iggy")), 48);
    refused!(root.update_permissions(&id("iggy"), None), 49);
}
