import type { JWTPayload } from 'jose'
import type { ProviderClaims, ProviderUser } from '../Provider.ts'
import { pick, text } from '../pick.ts'
import { readStandardClaims } from './readStandardClaims.ts'
import { isAppleIssuer, isAzureIssuer, issuers } from './issuerNames.ts'

/** The user of a verified ID token. Each issuer has its own claims. */
export function readIdToken(token: JWTPayload): ProviderUser {
  const read = readers.find(([fits]) => fits(token.iss ?? ''))?.[1] ?? readAny
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

function subjectOf(token: JWTPayload): Pick<ProviderClaims, 'iss' | 'sub' | 'provider_id'> {
  const sub = text(token, 'sub')
  return { iss: text(token, 'iss'), sub, provider_id: sub }
}

/** The token's address as a list with one primary address, or an empty list. */
function emailOf(token: JWTPayload, verified: boolean): ProviderUser['emails'] {
  const email = text(token, 'email')
  return email === '' ? [] : [{ email, verified, primary: true }]
}

function readGoogle(token: JWTPayload): ProviderUser {
  const verified = token['email_verified'] === true || token['verified_email'] === true
  const [name, picture, domain] = [text(token, 'name'), text(token, 'picture'), text(token, 'hd')]
  return {
    emails: emailOf(token, verified),
    claims: {
      ...subjectOf(token),
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
    emails: emailOf(token, true),
    claims: { ...subjectOf(token), name: text(token, 'name'), picture: text(token, 'picture') },
  }
}

function readApple(token: JWTPayload): ProviderUser {
  const hidden = token['is_private_email']
  const custom = {
    // Apple sends booleans sometimes as strings.
    ...(hidden === undefined ? {} : { is_private_email: hidden === true || hidden === 'true' }),
    ...(typeof token['auth_time'] === 'number' ? { auth_time: token['auth_time'] } : {}),
    ...(text(token, 'transfer_sub') ? { transfer_sub: text(token, 'transfer_sub') } : {}),
  }
  return {
    // Empty if the application has not requested it; Apple verifies all addresses.
    emails: [{ email: text(token, 'email'), verified: true, primary: true }],
    claims: { ...subjectOf(token), ...(Object.keys(custom).length > 0 ? { custom_claims: custom } : {}) },
  }
}

function readLinkedin(token: JWTPayload): ProviderUser {
  const verified = String(token['email_verified']) === 'true'
  const [given, family] = [text(token, 'given_name'), text(token, 'family_name')]
  const locale = text(token, 'locale')
  return {
    emails: emailOf(token, verified),
    claims: {
      ...subjectOf(token),
      name: `${given} ${family}`.trim(),
      given_name: given,
      family_name: family,
      locale,
      picture: text(token, 'picture'),
    },
  }
}

/** Claims of Azure about the token itself, or that are read separately. */
const azureOwn = new Set([
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
  const edov = pick(token, 'xms_edov')
  const verified = edov === undefined || edov === true || edov === '1' || edov === 'true'
  return {
    emails: emailOf(token, verified),
    claims: {
      ...subjectOf(token),
      preferred_username: text(token, 'preferred_username'),
      full_name: text(token, 'name'),
      custom_claims: Object.fromEntries(Object.entries(token).filter(([name]) => !azureOwn.has(name))),
    },
  }
}

function readKakao(token: JWTPayload): ProviderUser {
  const name = text(token, 'nickname')
  return {
    emails: emailOf(token, true),
    claims: { ...subjectOf(token), name, preferred_username: name, picture: text(token, 'picture') },
  }
}

function readVercel(token: JWTPayload): ProviderUser {
  const global = text(token, 'global_user_id')
  const sub = global ? `global_user_id:${global}` : text(token, 'sub')
  return {
    emails: emailOf({ email: text(token, 'user_email') }, true),
    claims: {
      ...subjectOf(token),
      sub,
      provider_id: sub,
      name: text(token, 'user_name'),
      picture: text(token, 'user_avatar_url'),
    },
  }
}

function readSnapchat(token: JWTPayload): ProviderUser {
  return { emails: emailOf(token, true), claims: readStandardClaims(token) }
}

function readAny(token: JWTPayload): ProviderUser {
  return { emails: emailOf(token, token['email_verified'] === true), claims: readStandardClaims(token) }
}
