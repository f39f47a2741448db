package io.galgo.simulator.client;

import io.galgo.protocol.ProtocolVersion;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.TokenLogin;

/// Who a client logs in as. Some are somebody else each time.
interface Credentials {
    /// The next login.
    Request login();

    /// Whether it is always the same user with the same secret: if refused once, it is refused for good.
    default boolean areFixed() {
        return false;
    }

    static Request password(String username, String password) {
        return new PasswordLogin(ProtocolVersion.CURRENT, "simulated", "0.9.0", username, password, "");
    }

    static Request token(String text) {
        return new TokenLogin(ProtocolVersion.CURRENT, "simulated", "0.9.0", text, "");
    }

    /// Those of one user.
    static Credentials of(String username, String password) {
        return new Credentials() {
            @Override
            public Request login() {
                return password(username, password);
            }

            @Override
            public boolean areFixed() {
                return true;
            }

            @Override
            public String toString() {
                return username;
            }
        };
    }
}
