import type { AuthApp } from '../../auth/AuthContext.ts'
import { AuthError } from '../../auth/http/AuthError.ts'
import { type AuthRequest, isUuid, requireAdmin } from '../../auth/http/authenticate.ts'
import { type ClientFields, invalidClient, readClientFields, validateClientChange } from './validateClient.ts'
import {
  type AuthMethod,
  createClientSecret,
  deleteOAuthClient,
  findOAuthClient,
  hashClientSecret,
  listOAuthClients,
  lockOAuthClient,
  type OAuthClient,
  renderOAuthClient,
  saveOAuthClient,
} from './oauthClient.ts'
import { registerClient } from './registerClient.ts'
import { type OAuthServerContext, requireOAuthServer } from './OAuthServerContext.ts'
import { transact } from '../../auth/transact.ts'

const path = '/admin/oauth/clients'

/** /admin/oauth/clients: service keys list, create, change and delete the clients of the OAuth server. */
export function addAdminRoutes(app: AuthApp, ctx: OAuthServerContext): void {
  const requireAccess = async (c: AuthRequest): Promise<void> => {
    await requireAdmin(ctx, c)
    requireOAuthServer(ctx)
  }

  app.post(path, async (c) => {
    await requireAccess(c)
    return c.json(await registerClient(ctx.pool, await readClientFields(c), 'manual'), 201)
  })

  app.get(path, async (c) => {
    await requireAccess(c)
    // Hosted Supabase omits an empty list, on which clients that read its length crash.
    const clients = await listOAuthClients(ctx.pool)
    return c.json({ clients: clients.map(renderOAuthClient) })
  })

  app.get(`${path}/:id`, async (c) => {
    await requireAccess(c)
    return c.json(renderOAuthClient(await loadClient(ctx, c)))
  })

  app.put(`${path}/:id`, async (c) => {
    await requireAccess(c)
    const { id } = await loadClient(ctx, c)
    const fields = await readClientFields(c)
    // The client type cannot be changed.
    const { client_type: _, ...changes } = fields
    if (Object.values(changes).every((value) => value === undefined)) {
      throw invalidClient('No fields provided for update')
    }
    const changed = await changeClient(ctx, id, (client) => {
      validateClientChange(changes, client.clientType)
      return withFields(client, changes)
    })
    return c.json(renderOAuthClient(changed))
  })

  app.delete(`${path}/:id`, async (c) => {
    await requireAccess(c)
    const { id } = await loadClient(ctx, c)
    await transact(ctx, (tx) => deleteOAuthClient(tx, id))
    return c.body(null, 204)
  })

  app.post(`${path}/:id/regenerate_secret`, async (c) => {
    await requireAccess(c)
    const { id, clientType } = await loadClient(ctx, c)
    if (clientType === 'public') throw invalidClient('Cannot regenerate secret for public client')
    const secret = createClientSecret()
    const changed = await changeClient(ctx, id, (client) => ({
      ...client,
      secretHash: hashClientSecret(secret),
    }))
    return c.json({ ...renderOAuthClient(changed), client_secret: secret })
  })
}

const notFound = (): AuthError => new AuthError(404, 'oauth_client_not_found', 'OAuth client not found')

async function loadClient(ctx: OAuthServerContext, c: AuthRequest): Promise<OAuthClient> {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw invalidClient('invalid client_id format')
  const client = await findOAuthClient(ctx.pool, id)
  if (!client) throw notFound()
  return client
}

function changeClient(
  ctx: OAuthServerContext,
  id: string,
  apply: (client: OAuthClient) => OAuthClient,
): Promise<OAuthClient> {
  return transact(ctx, async (tx) => {
    const client = await lockOAuthClient(tx, id)
    if (!client) throw notFound()
    return saveOAuthClient(tx, apply(client))
  })
}

/** The client with the fields of the request. */
function withFields(client: OAuthClient, fields: ClientFields): OAuthClient {
  return {
    ...client,
    redirectUris: fields.redirect_uris ?? client.redirectUris,
    grantTypes: fields.grant_types ?? client.grantTypes,
    name: fields.client_name ?? client.name,
    uri: fields.client_uri ?? client.uri,
    logoUri: fields.logo_uri ?? client.logoUri,
    authMethod: (fields.token_endpoint_auth_method as AuthMethod | undefined) ?? client.authMethod,
  }
}
