//! Personal access tokens: make, list, log in with, lose.

use crate::scenario::*;
use iggy::prelude::*;

pub async fn run(server: &Server) {
    let root = server.logged_in().await;
    done!(root.create_user("token-owner", "secret-1", UserStatus::Active, None));
    let owner = server.logged_in_as("token-owner", "secret-1").await;
    let owner_id = done!(owner.get_me()).user_id.expect("a user");

    let forever = done!(owner.create_personal_access_token("forever", IggyExpiry::NeverExpire)).token;
    assert_eq!(forever.len(), 68, "the length of a token");
    let hour = IggyExpiry::ExpireDuration(duration("1h"));
    let before = IggyTimestamp::now().as_micros();
    let hourly = done!(owner.create_personal_access_token("hourly", hour)).token;
    assert_ne!(forever, hourly, "two tokens");
    refused!(owner.create_personal_access_token("forever", IggyExpiry::NeverExpire), 51);

    let mut list = done!(owner.get_personal_access_tokens());
    list.sort_by(|one, other| one.name.cmp(&other.name));
    let [first, second] = list.as_slice() else { panic!("two tokens were made: {list:?}") };
    assert_eq!((first.name.as_str(), first.expiry_at), ("forever", None), "{list:?}");
    let expiry = second.expiry_at.expect("an expiry").as_micros();
    assert_eq!(second.name, "hourly", "{list:?}");
    let hour = 3_600_000_000;
    assert!((before + hour..before + hour + 60_000_000).contains(&expiry), "an hour after {before} is not {expiry}");
    assert!(done!(root.get_personal_access_tokens()).is_empty(), "tokens of another user");

    for token in [&forever, &hourly] {
        let client = server.connected().await;
        let identity = done!(client.login_with_personal_access_token(token));
        assert_eq!(identity.user_id, owner_id, "the user of a token");
        assert_eq!(done!(client.get_me()).user_id, Some(owner_id), "the user of the session");
        refused!(client.get_users(), 41);
    }
    let login = AutoLogin::Enabled(Credentials::PersonalAccessToken(forever.clone().into()));
    let by_itself = IggyClient::builder()
        .with_tcp()
        .with_server_address(server.address.clone())
        .with_auto_sign_in(login)
        .build()
        .expect("a client");
    done!(by_itself.connect());
    assert_eq!(done!(by_itself.get_me()).user_id, Some(owner_id), "a client that logs in with a token by itself");

    let moment = IggyExpiry::ExpireDuration(duration("1ms"));
    let expired = done!(owner.create_personal_access_token("moment", moment)).token;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    refused!(server.connected().await.login_with_personal_access_token(&expired), 53);
    refused!(server.connected().await.login_with_personal_access_token(&"A".repeat(68)), 53);

    done!(owner.delete_personal_access_token("forever"));
    refused!(owner.delete_personal_access_token("forever"), 20);
    refused!(server.connected().await.login_with_personal_access_token(&forever), 53);
    done!(by_itself.get_me());

    done!(root.delete_user(&id("token-owner")));
    refused!(server.connected().await.login_with_personal_access_token(&hourly), 53);
}
