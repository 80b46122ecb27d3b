import { randomUUID } from 'node:crypto'
import { AuthError } from '../../auth/http/AuthError.ts'
import type { Queryable } from '../../auth/rows/findUser.ts'
import { validateNewClient, type ClientFields } from './validateClient.ts'
import {
  createClientSecret,
  hashClientSecret,
  renderOAuthClient,
  saveOAuthClient,
  type OAuthClient,
} from './oauthClient.ts'

/**
 * Registers a client. Its secret is returned only here.
 * @throws AuthError 400 validation_failed
 */
export async function registerClient(
  db: Queryable,
  fields: ClientFields,
  registrationType: OAuthClient['registrationType'],
): Promise<Record<string, unknown>> {
  const { type, method } = validateWithStatus(fields)
  const secret = type === 'confidential' ? createClientSecret() : null
  const client = await saveOAuthClient(db, {
    id: randomUUID(),
    secretHash: secret === null ? '' : hashClientSecret(secret),
    registrationType,
    clientType: type,
    authMethod: method,
    redirectUris: fields.redirect_uris ?? [],
    grantTypes: fields.grant_types?.length ? fields.grant_types : ['authorization_code', 'refresh_token'],
    name: fields.client_name ?? '',
    uri: fields.client_uri ?? '',
    logoUri: fields.logo_uri ?? '',
  })
  const rendered = renderOAuthClient(client)
  return secret === null ? rendered : { ...rendered, client_secret: secret }
}

/** Hosted Supabase prefixes these messages with the status, only here. */
function validateWithStatus(fields: ClientFields): ReturnType<typeof validateNewClient> {
  try {
    return validateNewClient(fields)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    throw new AuthError(error.status, error.code, `${error.status}: ${error.message}`)
  }
}
