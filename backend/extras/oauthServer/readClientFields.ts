import { AuthError } from '../../auth/http/AuthError.ts'
import type { AuthRequest } from '../../auth/http/authenticate.ts'
import { parseBody, readBodyText } from '../../auth/http/readBody.ts'
import type { ClientFields } from './validateClient.ts'

/**
 * Reads the fields of a client from a request; other fields are ignored.
 * @throws AuthError 400 bad_json, 413
 */
export async function readClientFields(c: AuthRequest): Promise<ClientFields> {
  const text = await readBodyText(c)
  try {
    return parseBody(text, {
      redirect_uris: 'strings',
      client_type: 'string',
      token_endpoint_auth_method: 'string',
      grant_types: 'strings',
      client_name: 'string',
      client_uri: 'string',
      logo_uri: 'string',
    })
  } catch {
    throw new AuthError(400, 'bad_json', 'Invalid JSON body')
  }
}
