import type { AuthApp } from '../../auth/AuthContext.ts'
import type { Transaction } from '../../auth/Transaction.ts'
import { AuthError, invalid } from '../../auth/http/AuthError.ts'
import {
  isUuid,
  readClientInfo,
  requireFirstPartyUser,
  requireSecondFactor,
  type AuthRequest,
} from '../../auth/http/authenticate.ts'
import { parseBody, readBodyText } from '../../auth/http/readBody.ts'
import { withQuery } from '../../auth/http/redirectParameters.ts'
import { writeAudit } from '../../auth/audit.ts'
import { isAllowedRedirect } from '../../auth/http/redirects.ts'
import {
  approveAuthorization,
  assignAuthorization,
  closeAuthorization,
  lockAuthorization,
  type Authorization,
} from './authorization.ts'
import { hasConsented, storeConsent, listConsents, revokeConsent } from './consent.ts'
import { findOAuthClient, renderConsentClient } from './oauthClient.ts'
import { requireOAuthServer, type OAuthServerContext } from './OAuthServerContext.ts'
import { transact } from '../../auth/transact.ts'

const notFound = (): AuthError =>
  new AuthError(404, 'oauth_authorization_not_found', 'authorization not found')

/** The endpoints of the OAuth server for users: show, approve or deny a request, list and revoke consents. */
export function addConsentRoutes(app: AuthApp, ctx: OAuthServerContext): void {
  app.get('/oauth/authorizations/:id', async (c) => {
    requireOAuthServer(ctx)
    const me = await requireFirstPartyUser(ctx, c)
    requireSecondFactor(me)
    const { user } = me
    checkOrigin(ctx, c)
    const id = c.req.param('id')
    const outcome = await transact(ctx, async (tx) => {
      const found = await lockPending(
        tx,
        { id, userId: user.id },
        'authorization request cannot be processed',
      )
      // Returned and thrown after the commit: a rollback would undo that it is marked as expired.
      if (found instanceof AuthError) return found
      const client = await findOAuthClient(tx, found.client_id)
      if (!client) throw notFound()
      if (found.user_id === null) {
        await assignAuthorization(tx, id, user.id)
        const consent = { userId: user.id, clientId: client.id, scope: found.scope }
        if (await hasConsented(tx, consent)) {
          return { redirect_url: await approve(tx, found) }
        }
      } else if (found.user_id !== user.id) throw notFound()
      return {
        authorization_id: id,
        redirect_uri: found.redirect_uri,
        client: renderConsentClient(client),
        user: { id: user.id, ...(user.email ? { email: user.email } : {}) },
        scope: found.scope,
      }
    })
    if (outcome instanceof AuthError) throw outcome
    return c.json(outcome)
  })

  app.post('/oauth/authorizations/:id/consent', async (c) => {
    requireOAuthServer(ctx)
    const me = await requireFirstPartyUser(ctx, c)
    requireSecondFactor(me)
    const { user } = me
    checkOrigin(ctx, c)
    const action = await readAction(c)
    const id = c.req.param('id')
    const outcome = await transact(ctx, async (tx) => {
      const found = await lockPending(
        tx,
        { id, userId: user.id },
        'authorization request is no longer pending',
      )
      if (found instanceof AuthError) return found
      if (found.user_id !== user.id || !(await findOAuthClient(tx, found.client_id))) throw notFound()
      if (action === 'deny') {
        await closeAuthorization(tx, id, 'denied')
        return redirectBack(found, { error: 'access_denied', error_description: 'User denied the request' })
      }
      await storeConsent(tx, { userId: user.id, clientId: found.client_id, scope: found.scope })
      return approve(tx, found)
    })
    if (outcome instanceof AuthError) throw outcome
    return c.json({ redirect_url: outcome })
  })

  app.get('/user/oauth/grants', async (c) => {
    const { user } = await requireFirstPartyUser(ctx, c)
    requireOAuthServer(ctx)
    return c.json(await listConsents(ctx.pool, user.id))
  })

  app.delete('/user/oauth/grants', async (c) => {
    const { user } = await requireFirstPartyUser(ctx, c)
    requireOAuthServer(ctx)
    const clientId = c.req.query('client_id') ?? ''
    if (clientId === '') throw invalid('client_id query parameter is required')
    if (!isUuid(clientId)) throw invalid('invalid client_id format')
    await transact(ctx, async (tx) => {
      if (!(await revokeConsent(tx, { userId: user.id, clientId }))) {
        throw new AuthError(404, 'oauth_consent_not_found', 'No active grant found for this client')
      }
      await writeAudit(tx, user, 'token_revoked', readClientInfo(c).ip, {
        oauth_client_id: clientId,
        action: 'revoke_oauth_grant',
      })
    })
    return c.body(null, 204)
  })
}

/** The Origin header must be one that redirects are allowed to. */
function checkOrigin(ctx: OAuthServerContext, c: AuthRequest): void {
  const origin = c.req.header('origin') ?? ''
  if (origin !== '' && !isAllowedRedirect(origin, ctx.siteUrl(), ctx.allowedRedirects)) {
    throw invalid('unauthorized request origin')
  }
}

async function readAction(c: AuthRequest): Promise<'approve' | 'deny'> {
  const text = await readBodyText(c)
  let action: string | undefined
  try {
    action = parseBody(text, { action: 'string' }).action
  } catch {
    throw new AuthError(400, 'bad_json', 'invalid JSON body')
  }
  if (action !== 'approve' && action !== 'deny') throw invalid("action must be 'approve' or 'deny'")
  return action
}

/** Locks a pending request. Returns an error if it has expired, to be thrown after the commit. */
async function lockPending(
  tx: Transaction,
  { id, userId }: { id: string; userId: string },
  notPendingMessage: string,
): Promise<Authorization | AuthError> {
  // Ids have 32 letters and digits; other texts may contain characters that PostgreSQL rejects.
  const found = /^[a-z0-9]{32}$/i.test(id) ? await lockAuthorization(tx, id, userId) : null
  if (!found) throw notFound()
  if (found.expired) {
    await closeAuthorization(tx, id, 'expired')
    return notFound()
  }
  if (found.status !== 'pending') throw invalid(notPendingMessage)
  return found
}

function redirectBack(found: Authorization, more: Record<string, string>): string {
  return withQuery(found.redirect_uri, { ...more, ...(found.state ? { state: found.state } : {}) })
}

async function approve(tx: Transaction, found: Authorization): Promise<string> {
  return redirectBack(found, { code: await approveAuthorization(tx, found.authorization_id) })
}
