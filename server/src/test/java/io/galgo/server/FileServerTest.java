package io.galgo.server;

final class FileServerTest extends ServerContract {

    @Override
    String disk() {
        return "file";
    }
}
