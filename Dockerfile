# The command line of Consensa, as a user without rights.
#   docker build --tag consensa .
#   docker run --rm --volume "$PWD:/data" --user "$(id -u)" consensa cluster flowers.csv -k 3 -o labels.csv
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY tools/project_metadata.py tools/project_metadata.py
RUN python -m venv /opt/consensa \
    && /opt/consensa/bin/python -m pip install --no-cache-dir '.[cli,plot,excel]' \
    && /opt/consensa/bin/python -m pip uninstall --yes pip

FROM python:3.13-slim
COPY --from=build /opt/consensa /opt/consensa
ENV PATH=/opt/consensa/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    MPLCONFIGDIR=/tmp/matplotlib \
    NUMBA_CACHE_DIR=/tmp/numba
RUN useradd --create-home --uid 1000 consensa
USER 1000
WORKDIR /data
ENTRYPOINT ["consensa"]
CMD ["--help"]
