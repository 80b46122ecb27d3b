import type { JWTPayload } from 'jose'
import type { ProviderClaims, ProviderUser } from '../Provider.ts'
import { valueAt, textAt } from '../readFields.ts'
import { readStandardClaims } from './readStandardClaims.ts'
import { isAppleIssuer, isAzureIssuer, issuers } from './issuerNames.ts'

/** The user of a verified ID token. Each issuer has its own claims. */
export function readIdToken(token: JWTPayload): ProviderUser {
  const read = readers.find(([fits]) => fits(token.iss ?? ''))?.[1] ?? readStandard
  return read(token)
}

const readers: [fits: (issuer: string) => boolean, read: (token: JWTPayload) => ProviderUser][] = [
  [(issuer) => issuer === issuers.google, readGoogle],
  [(issuer) => issuer === issuers.linkedin, readLinkedin],
  [(issuer) => issuer === issuers.kakao, readKakao],
  [(issuer) => issuer === issuers.vercel, readVercel],
  [(issuer) => issuer === issuers.facebook, readFacebook],
  [(issuer) => issuer === issuers.snapchat, readSnapchat],
  [isAzureIssuer, readAzure],
  [isAppleIssuer, readApple],
]

function subjectClaims(token: JWTPayload): Pick<ProviderClaims, 'iss' | 'sub' | 'provider_id'> {
  const sub = textAt(token, 'sub')
  return { iss: textAt(token, 'iss'), sub, provider_id: sub }
}

/** The token's address as a list with one primary address, or an empty list. */
function readEmail(token: JWTPayload, verified: boolean): ProviderUser['emails'] {
  const email = textAt(token, 'email')
  return email === '' ? [] : [{ email, verified, primary: true }]
}

function readGoogle(token: JWTPayload): ProviderUser {
  const verified = token['email_verified'] === true || token['verified_email'] === true
  const [name, picture, domain] = [textAt(token, 'name'), textAt(token, 'picture'), textAt(token, 'hd')]
  return {
    emails: readEmail(token, verified),
    claims: {
      ...subjectClaims(token),
      name,
      picture,
      avatar_url: picture,
      full_name: name,
      ...(domain ? { custom_claims: { hd: domain } } : {}),
    },
  }
}

/** Facebook's Limited Login, whose addresses are always verified. */
function readFacebook(token: JWTPayload): ProviderUser {
  return {
    emails: readEmail(token, true),
    claims: { ...subjectClaims(token), name: textAt(token, 'name'), picture: textAt(token, 'picture') },
  }
}

function readApple(token: JWTPayload): ProviderUser {
  const hidden = token['is_private_email']
  const custom = {
    // Apple sends booleans sometimes as strings.
    ...(hidden === undefined ? {} : { is_private_email: hidden === true || hidden === 'true' }),
    ...(typeof token['auth_time'] === 'number' ? { auth_time: token['auth_time'] } : {}),
    ...(textAt(token, 'transfer_sub') ? { transfer_sub: textAt(token, 'transfer_sub') } : {}),
  }
  return {
    // Empty if the application has not requested it; Apple verifies all addresses.
    emails: [{ email: textAt(token, 'email'), verified: true, primary: true }],
    claims: { ...subjectClaims(token), ...(Object.keys(custom).length > 0 ? { custom_claims: custom } : {}) },
  }
}

function readLinkedin(token: JWTPayload): ProviderUser {
  const verified = String(token['email_verified']) === 'true'
  const [given, family] = [textAt(token, 'given_name'), textAt(token, 'family_name')]
  const locale = textAt(token, 'locale')
  return {
    emails: readEmail(token, verified),
    claims: {
      ...subjectClaims(token),
      name: `${given} ${family}`.trim(),
      given_name: given,
      family_name: family,
      locale,
      picture: textAt(token, 'picture'),
    },
  }
}

/** Claims of Azure about the token itself, or that are read separately. */
const azureTokenClaims = new Set([
  'aud',
  'iss',
  'iat',
  'nbf',
  'exp',
  'c_hash',
  'at_hash',
  'aio',
  'nonce',
  'rh',
  'uti',
  'jti',
  'ver',
  'sub',
  'name',
  'preferred_username',
])

function readAzure(token: JWTPayload): ProviderUser {
  // Absent unless the application enables it: Azure then leaves out unverified addresses.
  const edov = valueAt(token, 'xms_edov')
  const verified = edov === undefined || edov === true || edov === '1' || edov === 'true'
  return {
    emails: readEmail(token, verified),
    claims: {
      ...subjectClaims(token),
      preferred_username: textAt(token, 'preferred_username'),
      full_name: textAt(token, 'name'),
      custom_claims: Object.fromEntries(
        Object.entries(token).filter(([name]) => !azureTokenClaims.has(name)),
      ),
    },
  }
}

function readKakao(token: JWTPayload): ProviderUser {
  const name = textAt(token, 'nickname')
  return {
    emails: readEmail(token, true),
    claims: { ...subjectClaims(token), name, preferred_username: name, picture: textAt(token, 'picture') },
  }
}

function readVercel(token: JWTPayload): ProviderUser {
  const global = textAt(token, 'global_user_id')
  const sub = global ? `global_user_id:${global}` : textAt(token, 'sub')
  return {
    emails: readEmail({ email: textAt(token, 'user_email') }, true),
    claims: {
      ...subjectClaims(token),
      sub,
      provider_id: sub,
      name: textAt(token, 'user_name'),
      picture: textAt(token, 'user_avatar_url'),
    },
  }
}

function readSnapchat(token: JWTPayload): ProviderUser {
  return { emails: readEmail(token, true), claims: readStandardClaims(token) }
}

function readStandard(token: JWTPayload): ProviderUser {
  return { emails: readEmail(token, token['email_verified'] === true), claims: readStandardClaims(token) }
}
