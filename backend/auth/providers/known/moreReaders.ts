import { issuers } from '../oidc/issuerNames.ts'
import type { ProviderTokens, ProviderUser } from '../Provider.ts'
import { idText, list, pick, text } from '../pick.ts'
import { onlyEmail, profile } from './readers.ts'

export function readNotion([answer]: unknown[], api: string): ProviderUser {
  const user = pick(answer, 'bot', 'owner', 'user')
  return {
    emails: onlyEmail(text(user, 'person', 'email'), true),
    claims: profile(api, text(user, 'id'), { name: text(user, 'name'), picture: text(user, 'avatar_url') }),
  }
}

/** @param trusted whether addresses count as verified unless the response says otherwise */
export function readSlack([user]: unknown[], api: string, trusted: boolean): ProviderUser {
  const said = pick(user, 'email_verified')
  const verified = said === true || (trusted && said === undefined)
  const team = 'https://slack.com/team_id'
  return {
    emails: onlyEmail(text(user, 'email'), verified),
    claims: {
      ...profile(api, text(user, 'https://slack.com/user_id'), {
        name: text(user, 'name'),
        picture: text(user, 'picture'),
      }),
      custom_claims: { [team]: text(user, team) },
    },
  }
}

export function readSnapchat([answer]: unknown[]): ProviderUser {
  const me = pick(answer, 'data', 'me')
  const name = text(me, 'displayName')
  return {
    emails: onlyEmail(text(me, 'email'), true),
    claims: {
      ...profile(issuers.snapchat, text(me, 'externalId'), { name, picture: text(me, 'bitmoji', 'avatar') }),
      slug: name,
    },
  }
}

export function readSpotify([user]: unknown[], api: string): ProviderUser {
  const size = (image: unknown) => Number(pick(image, 'height') ?? 0) * Number(pick(image, 'width') ?? 0)
  const largest = list(user, 'images').reduce<unknown>(
    (best, image) => (best === undefined || size(image) > size(best) ? image : best),
    undefined,
  )
  return {
    // The response does not tell whether an address is verified.
    emails: onlyEmail(text(user, 'email'), false),
    claims: profile(api, text(user, 'id'), {
      name: text(user, 'display_name'),
      picture: text(largest, 'url'),
    }),
  }
}

export function readTwitch([answer]: unknown[], api: string): ProviderUser {
  const user = pick(answer, 'data', 0)
  const shown = text(user, 'display_name')
  const custom = ['broadcaster_type', 'description', 'type', 'offline_image_url', 'view_count']
  return {
    emails: onlyEmail(text(user, 'email'), true),
    claims: {
      ...profile(api, idText(user, 'id'), {
        name: text(user, 'login'),
        picture: text(user, 'profile_image_url'),
      }),
      nickname: shown,
      slug: shown,
      custom_claims: Object.fromEntries(custom.map((name) => [name, pick(user, name) ?? null])),
    },
  }
}

/** Reads a profile of OAuth 1's verify_credentials. */
export function readTwitter(user: unknown, iss: string): ProviderUser {
  const login = text(user, 'screen_name')
  return {
    emails: onlyEmail(text(user, 'email'), true),
    claims: {
      ...profile(iss, text(user, 'id_str'), {
        name: text(user, 'name'),
        picture: text(user, 'profile_image_url_https'),
      }),
      preferred_username: login,
      user_name: login,
    },
  }
}

export function readWorkos({ answer }: ProviderTokens, api: string): ProviderUser {
  const user = pick(answer, 'profile')
  const name = `${text(user, 'first_name')} ${text(user, 'last_name')}`.trim()
  return {
    emails: onlyEmail(text(user, 'email'), true),
    claims: {
      ...profile(api, text(user, 'id'), { name }),
      custom_claims: {
        connection_id: text(user, 'connection_id'),
        organization_id: text(user, 'organization_id'),
      },
    },
  }
}

export function readX([answer]: unknown[], api: string): ProviderUser {
  const user = pick(answer, 'data')
  const login = text(user, 'username')
  return {
    // It returns verified addresses only.
    emails: onlyEmail(text(user, 'confirmed_email'), true),
    claims: {
      ...profile(api, idText(user, 'id'), {
        name: text(user, 'name'),
        picture: text(user, 'profile_image_url'),
      }),
      preferred_username: login,
      user_name: login,
      profile: `https://x.com/${login}`,
      website: text(user, 'url'),
      custom_claims: { created_at: text(user, 'created_at') },
    },
  }
}

export function readZoom([user]: unknown[], api: string): ProviderUser {
  const name = `${text(user, 'first_name')} ${text(user, 'last_name')}`.trim()
  const loginType = idText(user, 'login_type')
  // Zoom verifies addresses of password sign-ins only if it says so; other users sign in with a provider.
  const verified = loginType !== '100' || Number(pick(user, 'verified') ?? 0) !== 0
  return {
    emails: onlyEmail(text(user, 'email'), verified),
    claims: profile(api, text(user, 'id'), { name, picture: text(user, 'pic_url') }),
  }
}
