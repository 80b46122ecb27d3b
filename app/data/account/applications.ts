import { requestAuth } from '../client/requestAuth.ts'
import { runQuery } from '../client/runQuery.ts'
import { createQuery } from '../queries/createQuery.ts'
import { success, withoutValue, type Outcome } from '../failures/failures.ts'

/** What an application can be granted (decision 49). */
export const SCOPES = ['channels:read', 'messages:read', 'messages:write'] as const
export type Scope = (typeof SCOPES)[number]

export interface Application {
  /** A UUID. */
  id: string
  name?: string
  uri?: string
}

/** A request of an application that waits for the user's decision. */
export interface AccessRequest {
  authorization_id: string
  client: Application
  /** Where the browser goes with the decision. */
  redirect_uri: string
}

/** An application that the user has let in. */
export interface GrantedApplication {
  client: Application
  /** ISO 8601. */
  granted_at: string
  scopes: Scope[]
}

interface GrantRow {
  client_id: string
  scopes: Scope[]
}

/** The request, or only the address to continue at if the user has let this application in before. */
export const accessRequest = createQuery({
  fetch: (id: string) =>
    requestAuth<AccessRequest | { redirect_url: string }>(`oauth/authorizations/${encodeURIComponent(id)}`),
})

/** Lets an application in with these scopes. Returns the address to continue at. */
export async function grantAccess(request: AccessRequest, scopes: Scope[]): Promise<Outcome<string>> {
  const saved = await changeScopes(request.client.id, scopes)
  return saved.ok ? decide(request, 'approve') : saved
}

/** Returns the address to continue at. */
export function denyAccess(request: AccessRequest): Promise<Outcome<string>> {
  return decide(request, 'deny')
}

async function decide(request: AccessRequest, action: 'approve' | 'deny'): Promise<Outcome<string>> {
  const decided = await requestAuth<{ redirect_url: string }>(
    `oauth/authorizations/${encodeURIComponent(request.authorization_id)}/consent`,
    { method: 'POST', body: { action } },
  )
  return decided.ok ? success(decided.value.redirect_url) : decided
}

/** Changes what an application may do from now on. */
export async function changeScopes(clientId: string, scopes: Scope[]): Promise<Outcome> {
  const changed = await runQuery<GrantRow[]>((client) =>
    client
      .from('application_grants')
      .update({ scopes })
      .eq('client_id', clientId)
      .select('client_id, scopes'),
  )
  if (!changed.ok) return changed
  if (changed.value.length > 0) return success(undefined)
  return withoutValue(
    await runQuery((client) => client.from('application_grants').insert({ client_id: clientId, scopes })),
  )
}

/**
 * The applications that the user has let in, the last one first. Each was given scopes, or none of them, when it was let
 * in: without a row of scopes the server isn't asked, which may let in no applications at all.
 */
async function listApplications(): Promise<Outcome<GrantedApplication[]>> {
  const rows = await runQuery<GrantRow[]>((client) =>
    client.from('application_grants').select('client_id, scopes'),
  )
  if (!rows.ok) return rows
  if (rows.value.length === 0) return success([])
  const consents = await requestAuth<Omit<GrantedApplication, 'scopes'>[]>('user/oauth/grants')
  if (!consents.ok) return consents
  const scopes = new Map(rows.value.map((row) => [row.client_id, row.scopes]))
  return success(
    consents.value.map((consent) => Object.assign(consent, { scopes: scopes.get(consent.client.id) ?? [] })),
  )
}

/** The applications that the user has let in. */
export const applicationList = createQuery({ fetch: listApplications })

/** Ends the access of an application: it is signed out. */
export async function endAccess(clientId: string): Promise<Outcome> {
  const ended = await requestAuth(`user/oauth/grants?client_id=${encodeURIComponent(clientId)}`, {
    method: 'DELETE',
  })
  if (!ended.ok) return ended
  const removed = await runQuery((client) =>
    client.from('application_grants').delete().eq('client_id', clientId),
  )
  applicationList.invalidate()
  return withoutValue(removed)
}
