# syntax=docker/dockerfile:1

# Go version of the builder.
ARG GO=1.22
ARG REGISTRY TAG=latest

# Builds the server.
FROM --platform=$BUILDPLATFORM golang:${GO} AS build
WORKDIR /src
ENV CGO_ENABLED=0
# Where modules are kept.
ENV GOPATH=/go \
    GOCACHE=/cache
ENV MOTD hello there world
COPY go.mod go.sum ./
RUN <<EOF
go mod download
EOF
RUN --mount=type=cache,target=/cache go build \
    -o /out/server ./cmd/server

FROM build as test
RUN go test ./...

FROM ${REGISTRY}/distroless/static:${TAG}
LABEL org.opencontainers.image.title="server"
COPY --from=build /out/server /server
EXPOSE 8080/tcp
USER nobody
HEALTHCHECK CMD ["/server", "--check"]
ENTRYPOINT ["/server"]

FROM alpine:3.20
ARG EXTRA
CMD ["sh"]
