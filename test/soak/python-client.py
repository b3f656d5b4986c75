"""What a program in Python does with the client that openapi-python-client generates. Prints what it has seen as JSON."""

import json
import sys

from subnetd_client import AuthenticatedClient, Client
from subnetd_client.api.admin_user import add_admin_user, list_admin_users, update_admin_user
from subnetd_client.api.api_key import add_api_key, list_api_keys, revoke_api_key, rotate_api_key
from subnetd_client.api.audit import list_audit
from subnetd_client.api.auth import get_token
from subnetd_client.api.industry import add_industry, list_industries, update_industry
from subnetd_client.api.project_type import add_project_type, list_project_types, update_project_type
from subnetd_client.api.sector import add_sector, list_sectors, update_sector
from subnetd_client.models import (
    AddAdminUserBody,
    AddApiKeyBody,
    AddApiKeyBodyScopesItem,
    AddIndustryBody,
    AddIndustryResponse409,
    AddProjectTypeBody,
    AddSectorBody,
    AddSectorResponse403,
    GetTokenBody,
    ListIndustriesResponse401,
    ListIndustriesSort,
    RevokeApiKeyBody,
    RotateApiKeyBody,
    UpdateAdminUserBody,
    UpdateIndustryBody,
    UpdateProjectTypeBody,
    UpdateSectorBody,
)

url, password = sys.argv[1], sys.argv[2]
anonymous = Client(base_url=url, raise_on_unexpected_status=True)
signed_in = get_token.sync(client=anonymous, body=GetTokenBody(user_name="root", password=password))
client = AuthenticatedClient(base_url=url, token=signed_in.data.token, raise_on_unexpected_status=True)
seen = {}

# Each list: add, list, update, delete.
industry = add_industry.sync(
    client=client, body=AddIndustryBody(industry_name="Shipping ⚓", image_path="images/ü.png", is_deleted=False, create_by=1)
).data.industry_id
sector = add_sector.sync(
    client=client,
    body=AddSectorBody(skill_name="Freight", image_path="f.png", industry_name="Shipping ⚓", is_deleted="FALSE", create_by=1),
).data.sector_id
project = add_project_type.sync(
    client=client, body=AddProjectTypeBody(contract_name="Bond", is_deleted=False, create_by=1)
).data.project_type_id
names = dict(first_name="Ada", last_name="Lovelace", user_name="ada", email_id="ada@example.com")
user = add_admin_user.sync(
    client=client, body=AddAdminUserBody(**names, password="analytical engine", is_active=True, create_by=1)
).data.user_id
update_industry.sync(
    1,
    client=client,
    body=UpdateIndustryBody(
        industry_id=industry, industry_name="Boats", image_path="b.png", is_deleted=True, update_by=1
    ),
)
update_sector.sync(
    1,
    client=client,
    body=UpdateSectorBody(
        sector_id=sector, skill_name="Freight", image_path="g.png", industry_name="Boats", is_deleted=True, update_by=1
    ),
)
update_project_type.sync(
    1,
    client=client,
    body=UpdateProjectTypeBody(project_type_id=project, contract_name="Bond", is_deleted=True, update_by=1),
)
update_admin_user.sync(
    1,
    client=client,
    body=UpdateAdminUserBody(**names, user_id=user, password="********", is_active=False, update_by=1),
)
seen["deleted"] = [
    list_industries.sync(industry, client=client).data.items[0].is_deleted,
    list_sectors.sync(sector, client=client).data.items[0].is_deleted,
    list_project_types.sync(project, client=client).data.items[0].is_deleted,
    not list_admin_users.sync(user, client=client).data.items[0].is_active,
]

# Pages of a list in an order, and the same list again.
for place in range(5):
    add_industry.sync(
        client=client,
        body=AddIndustryBody(industry_name=f"Page {place}", image_path="p.png", is_deleted=False, create_by=1),
        idempotency_key=f"page-{place}",
    )
paged, after = [], 0
while True:
    page = list_industries.sync(
        0, client=client, limit=2, after=after, is_deleted="false", sort=ListIndustriesSort("-IndustryName"), total="true"
    ).data
    paged += [one.industry_name for one in page.items]
    if not page.next_:
        break
    after = page.next_
seen["paged"], seen["total"] = sorted(paged), page.total
first = list_industries.sync_detailed(0, client=client)
seen["again"] = list_industries.sync_detailed(0, client=client, if_none_match=first.headers["etag"]).status_code

# Keys: made, used, rotated and revoked.
made = add_api_key.sync(client=client, body=AddApiKeyBody(name="nightly", scopes=[AddApiKeyBodyScopesItem.READ])).data
by_key = get_token.sync(client=anonymous, body=GetTokenBody(api_key=made.api_key)).data.token
reader = AuthenticatedClient(base_url=url, token=by_key, raise_on_unexpected_status=True)
seen["read"] = len(list_sectors.sync(0, client=reader).data.items)
next_key = rotate_api_key.sync(made.api_key_id, client=client, body=RotateApiKeyBody(keep_hours=0)).data
revoke_api_key.sync(next_key.api_key_id, client=client, body=RevokeApiKeyBody())
states = {one.api_key_id: one.state.value for one in list_api_keys.sync(0, client=client).data.items}
seen["states"] = [states[made.api_key_id], states[next_key.api_key_id]]
seen["audited"] = len(list_audit.sync(0, client=client, resource="Industry").data.items)

# Refusals are typed, with their codes.
body = AddIndustryBody(industry_name="Page 0", image_path="p.png", is_deleted=False, create_by=1)
duplicate = add_industry.sync(client=client, body=body)
forbidden = add_sector.sync(
    client=reader,
    body=AddSectorBody(skill_name="No", image_path="f.png", industry_name="Page 0", is_deleted=False, create_by=1),
)
unknown = list_industries.sync(0, client=anonymous)
assert isinstance(duplicate, AddIndustryResponse409), duplicate
seen["codes"] = [duplicate.app_error_code.value, forbidden.app_error_code.value, unknown.app_error_code.value]
assert isinstance(forbidden, AddSectorResponse403) and isinstance(unknown, ListIndustriesResponse401)
print(json.dumps(seen))
