import type { ProviderClaims, ProviderUser } from '../Provider.ts'
import { idText, list, pick, text } from '../pick.ts'

/** A list with one primary address, or an empty list. */
export function onlyEmail(email: string, verified: boolean): ProviderUser['emails'] {
  return email === '' ? [] : [{ email, verified, primary: true }]
}

/** The claims that nearly all providers have; with older and newer names. */
export function profile(
  iss: string,
  sub: string,
  o: { name?: string; picture?: string } = {},
): ProviderClaims {
  const { name, picture } = o
  return {
    iss,
    sub,
    provider_id: sub,
    ...(name ? { name, full_name: name } : {}),
    ...(picture ? { picture, avatar_url: picture } : {}),
  }
}

function addresses(entries: unknown[], names: { primary: string; verified: string }): ProviderUser['emails'] {
  return entries
    .map((entry) => ({
      email: text(entry, 'email'),
      verified: pick(entry, names.verified) === true,
      primary: pick(entry, names.primary) === true,
    }))
    .filter(({ email }) => email !== '')
}

export function readBitbucket([user, emails]: unknown[], api: string): ProviderUser {
  const picture = text(user, 'avatar', 'href')
  return {
    emails: addresses(list(emails, 'values'), { primary: 'is_primary', verified: 'is_confirmed' }),
    claims: profile(api, text(user, 'uuid'), { name: text(user, 'display_name'), picture }),
  }
}

export function readDiscord([user]: unknown[], api: string): ProviderUser {
  const [id, name, avatar] = [idText(user, 'id'), text(user, 'username'), text(user, 'avatar')]
  const discriminator = text(user, 'discriminator')
  const picture =
    avatar === ''
      ? `https://cdn.discordapp.com/embed/avatars/${(Number.parseInt(discriminator, 10) || 0) % 5}.png`
      : `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
  return {
    emails: onlyEmail(text(user, 'email'), pick(user, 'verified') === true),
    claims: {
      ...profile(api, id, { name, picture }),
      name: `${name}#${discriminator}`,
      custom_claims: { global_name: text(user, 'global_name') },
    },
  }
}

export function readFacebook([user]: unknown[], api: string): ProviderUser {
  const name = `${text(user, 'first_name')} ${text(user, 'last_name')}`.trim()
  const alias = text(user, 'name')
  return {
    emails: onlyEmail(text(user, 'email'), true),
    claims: {
      ...profile(api, idText(user, 'id'), { name, picture: text(user, 'picture', 'data', 'url') }),
      nickname: alias,
      slug: alias,
    },
  }
}

export function readFigma([user]: unknown[], api: string): ProviderUser {
  const name = text(user, 'handle')
  return {
    emails: onlyEmail(text(user, 'email'), true),
    claims: { ...profile(api, idText(user, 'id'), { name }), avatar_url: text(user, 'img_url') },
  }
}

export function readFly([user]: unknown[], api: string): ProviderUser {
  const sub = idText(user, 'user_id')
  const custom = ['resource_owner_id', 'organizations', 'application', 'scope', 'created_at']
  return {
    emails: onlyEmail(text(user, 'email'), true),
    claims: {
      iss: api,
      sub,
      provider_id: sub,
      full_name: text(user, 'user_name'),
      custom_claims: Object.fromEntries(custom.map((name) => [name, pick(user, name) ?? null])),
    },
  }
}

export function readGithub([user, emails]: unknown[], api: string): ProviderUser {
  const login = text(user, 'login')
  const { picture: _, ...claims } = profile(api, idText(user, 'id'), {
    name: text(user, 'name'),
    picture: text(user, 'avatar_url'),
  })
  return {
    emails: addresses(Array.isArray(emails) ? emails : [], { primary: 'primary', verified: 'verified' }),
    claims: { ...claims, preferred_username: login, user_name: login },
  }
}

export function readGitlab([user, emails]: unknown[], api: string): ProviderUser {
  // The response does not tell whether further addresses are verified.
  const others = addresses(Array.isArray(emails) ? emails : [], { primary: '', verified: '' })
  return {
    emails: [...others, ...onlyEmail(text(user, 'email'), text(user, 'confirmed_at') !== '')],
    claims: profile(api, idText(user, 'id'), { name: text(user, 'name'), picture: text(user, 'avatar_url') }),
  }
}

/** Used if Google returns no ID token. */
export function readGoogle([user]: unknown[]): ProviderUser {
  const verified = pick(user, 'verified_email') === true || pick(user, 'email_verified') === true
  const iss = 'https://www.googleapis.com/userinfo/v2/me'
  return {
    emails: onlyEmail(text(user, 'email'), verified),
    claims: profile(iss, idText(user, 'id'), { name: text(user, 'name'), picture: text(user, 'picture') }),
  }
}

export function readKakao([user]: unknown[], api: string): ProviderUser {
  const account = pick(user, 'kakao_account')
  const name = text(account, 'profile', 'nickname')
  const verified = pick(account, 'is_email_verified') === true && pick(account, 'is_email_valid') === true
  return {
    emails: onlyEmail(text(account, 'email'), verified),
    claims: {
      ...profile(api, idText(user, 'id'), { name }),
      avatar_url: text(account, 'profile', 'profile_image_url'),
      preferred_username: name,
      user_name: name,
    },
  }
}

const keycloakTold = new Set(['name', 'sub', 'email', 'email_verified'])

export function readKeycloak([user]: unknown[], api: string): ProviderUser {
  const more = Object.entries((user ?? {}) as Record<string, unknown>).filter(
    ([name]) => !keycloakTold.has(name),
  )
  return {
    emails: onlyEmail(text(user, 'email'), pick(user, 'email_verified') === true),
    claims: {
      ...profile(api, text(user, 'sub'), { name: text(user, 'name') }),
      custom_claims: Object.fromEntries(more),
    },
  }
}

export function readLinkedin([user, contact]: unknown[], api: string): ProviderUser {
  const nameOf = (part: 'firstName' | 'lastName') => {
    const locale = `${text(user, part, 'preferredLocale', 'language')}_${text(user, part, 'preferredLocale', 'country')}`
    return text(user, part, 'localized', locale)
  }
  const picture = text(user, 'profilePicture', 'displayImage~', 'elements', 0, 'identifiers', 0, 'identifier')
  return {
    emails: onlyEmail(text(contact, 'elements', 0, 'handle~', 'emailAddress'), true),
    claims: profile(api, idText(user, 'id'), {
      name: `${nameOf('firstName')} ${nameOf('lastName')}`.trim(),
      picture,
    }),
  }
}
