# bitsift in a container:
#     docker build -t bitsift .
#     docker run --rm -v "$PWD:/files" bitsift index && docker run --rm -v "$PWD:/files" bitsift query lantern
FROM debian:12 AS build
COPY . /bitsift
WORKDIR /bitsift
RUN bash -c '. cmake/packages.sh && install_packages "${BUILD_PACKAGES[@]}" dpkg-dev file' && cmake --workflow --preset package

FROM debian:12-slim
COPY --from=build /bitsift/build/package/bitsift_*.deb /bitsift/build/package/libbitsift-json_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb \
        $([ "$(uname -m)" != x86_64 ] || echo libhyperscan5) && \
    rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /files
ENTRYPOINT ["bitsift"]
