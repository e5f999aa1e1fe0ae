# bitsift in a container of its own:
#     docker build -t bitsift .
#     docker run --rm -v "$PWD:/files" bitsift index && docker run --rm -v "$PWD:/files" bitsift query lantern
FROM debian:12 AS build
COPY . /bitsift
WORKDIR /bitsift
RUN bash -c '. cmake/packages.sh && install_packages "${BUILD_PACKAGES[@]}" dpkg-dev file' && cmake --workflow --preset package

FROM debian:12-slim
COPY --from=build /bitsift/build/package/bitsift_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/bitsift_*.deb && \
    rm -rf /tmp/bitsift_*.deb /var/lib/apt/lists/*
WORKDIR /files
ENTRYPOINT ["bitsift"]
