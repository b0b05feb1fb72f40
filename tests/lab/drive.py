"""A process that runs one tenant's sweep, to be killed: `python -m tests.lab.drive TENANT STORE WORKERS`.

It says how many steps it took."""

import sys

from elegans.lab.session import Session
from elegans.lab.store import Store
from tests.lab.tenants import TENANTS


def main() -> None:
    tenant, folder, workers = sys.argv[1:4]
    session = Session(Store.open(folder), int(workers), checkpoint_every=0.1, flush_every=0.05)
    session.sweep(TENANTS[tenant]())
    print(int(session.spent["steps"]))


if __name__ == "__main__":
    main()
