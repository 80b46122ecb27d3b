import { issuers } from '../oidc/issuerNames.ts'
import type { ProviderTokens, ProviderUser } from '../Provider.ts'
import { idAt, listAt, valueAt, textAt } from '../readFields.ts'
import { singleEmail, baseClaims } from './readProfilesAToL.ts'

export function readNotion([response]: unknown[], api: string): ProviderUser {
  const user = valueAt(response, 'bot', 'owner', 'user')
  return {
    emails: singleEmail(textAt(user, 'person', 'email'), true),
    claims: baseClaims(api, textAt(user, 'id'), {
      name: textAt(user, 'name'),
      picture: textAt(user, 'avatar_url'),
    }),
  }
}

/** @param trusted whether addresses count as verified unless the response states otherwise */
export function readSlack([user]: unknown[], api: string, trusted: boolean): ProviderUser {
  const emailVerified = valueAt(user, 'email_verified')
  const verified = emailVerified === true || (trusted && emailVerified === undefined)
  const team = 'https://slack.com/team_id'
  return {
    emails: singleEmail(textAt(user, 'email'), verified),
    claims: {
      ...baseClaims(api, textAt(user, 'https://slack.com/user_id'), {
        name: textAt(user, 'name'),
        picture: textAt(user, 'picture'),
      }),
      custom_claims: { [team]: textAt(user, team) },
    },
  }
}

export function readSnapchat([response]: unknown[]): ProviderUser {
  const me = valueAt(response, 'data', 'me')
  const name = textAt(me, 'displayName')
  return {
    emails: singleEmail(textAt(me, 'email'), true),
    claims: {
      ...baseClaims(issuers.snapchat, textAt(me, 'externalId'), {
        name,
        picture: textAt(me, 'bitmoji', 'avatar'),
      }),
      slug: name,
    },
  }
}

export function readSpotify([user]: unknown[], api: string): ProviderUser {
  const size = (image: unknown) =>
    Number(valueAt(image, 'height') ?? 0) * Number(valueAt(image, 'width') ?? 0)
  const largest = listAt(user, 'images').reduce<unknown>(
    (best, image) => (best === undefined || size(image) > size(best) ? image : best),
    undefined,
  )
  return {
    // The response does not state whether an address is verified.
    emails: singleEmail(textAt(user, 'email'), false),
    claims: baseClaims(api, textAt(user, 'id'), {
      name: textAt(user, 'display_name'),
      picture: textAt(largest, 'url'),
    }),
  }
}

export function readTwitch([response]: unknown[], api: string): ProviderUser {
  const user = valueAt(response, 'data', 0)
  const displayName = textAt(user, 'display_name')
  const custom = ['broadcaster_type', 'description', 'type', 'offline_image_url', 'view_count']
  return {
    emails: singleEmail(textAt(user, 'email'), true),
    claims: {
      ...baseClaims(api, idAt(user, 'id'), {
        name: textAt(user, 'login'),
        picture: textAt(user, 'profile_image_url'),
      }),
      nickname: displayName,
      slug: displayName,
      custom_claims: Object.fromEntries(custom.map((name) => [name, valueAt(user, name) ?? null])),
    },
  }
}

/** Reads a profile of OAuth 1's verify_credentials. */
export function readTwitter(user: unknown, iss: string): ProviderUser {
  const login = textAt(user, 'screen_name')
  return {
    emails: singleEmail(textAt(user, 'email'), true),
    claims: {
      ...baseClaims(iss, textAt(user, 'id_str'), {
        name: textAt(user, 'name'),
        picture: textAt(user, 'profile_image_url_https'),
      }),
      preferred_username: login,
      user_name: login,
    },
  }
}

export function readWorkos({ response }: ProviderTokens, api: string): ProviderUser {
  const user = valueAt(response, 'profile')
  const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim()
  return {
    emails: singleEmail(textAt(user, 'email'), true),
    claims: {
      ...baseClaims(api, textAt(user, 'id'), { name }),
      custom_claims: {
        connection_id: textAt(user, 'connection_id'),
        organization_id: textAt(user, 'organization_id'),
      },
    },
  }
}

export function readX([response]: unknown[], api: string): ProviderUser {
  const user = valueAt(response, 'data')
  const login = textAt(user, 'username')
  return {
    // It returns verified addresses only.
    emails: singleEmail(textAt(user, 'confirmed_email'), true),
    claims: {
      ...baseClaims(api, idAt(user, 'id'), {
        name: textAt(user, 'name'),
        picture: textAt(user, 'profile_image_url'),
      }),
      preferred_username: login,
      user_name: login,
      profile: `https://x.com/${login}`,
      website: textAt(user, 'url'),
      custom_claims: { created_at: textAt(user, 'created_at') },
    },
  }
}

export function readZoom([user]: unknown[], api: string): ProviderUser {
  const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim()
  const loginType = idAt(user, 'login_type')
  // Zoom verifies addresses of password sign-ins only if the profile states so; other users sign in with a provider.
  const verified = loginType !== '100' || Number(valueAt(user, 'verified') ?? 0) !== 0
  return {
    emails: singleEmail(textAt(user, 'email'), verified),
    claims: baseClaims(api, textAt(user, 'id'), { name, picture: textAt(user, 'pic_url') }),
  }
}
