import type { ProviderClaims, ProviderUser } from '../Provider.ts'
import { idAt, listAt, valueAt, textAt } from '../readFields.ts'

/** A list with one primary address, or an empty list. */
export function singleEmail(email: string, verified: boolean): ProviderUser['emails'] {
  return email === '' ? [] : [{ email, verified, primary: true }]
}

/** The claims that nearly all providers have; with older and newer names. */
export function baseClaims(
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

function readEmails(
  entries: unknown[],
  names: { primary: string; verified: string },
): ProviderUser['emails'] {
  return entries
    .map((entry) => ({
      email: textAt(entry, 'email'),
      verified: valueAt(entry, names.verified) === true,
      primary: valueAt(entry, names.primary) === true,
    }))
    .filter(({ email }) => email !== '')
}

export function readBitbucket([user, emails]: unknown[], api: string): ProviderUser {
  const picture = textAt(user, 'avatar', 'href')
  return {
    emails: readEmails(listAt(emails, 'values'), { primary: 'is_primary', verified: 'is_confirmed' }),
    claims: baseClaims(api, textAt(user, 'uuid'), { name: textAt(user, 'display_name'), picture }),
  }
}

export function readDiscord([user]: unknown[], api: string): ProviderUser {
  const [id, name, avatar] = [idAt(user, 'id'), textAt(user, 'username'), textAt(user, 'avatar')]
  const discriminator = textAt(user, 'discriminator')
  const picture =
    avatar === ''
      ? `https://cdn.discordapp.com/embed/avatars/${(Number.parseInt(discriminator, 10) || 0) % 5}.png`
      : `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
  return {
    emails: singleEmail(textAt(user, 'email'), valueAt(user, 'verified') === true),
    claims: {
      ...baseClaims(api, id, { name, picture }),
      name: `${name}#${discriminator}`,
      custom_claims: { global_name: textAt(user, 'global_name') },
    },
  }
}

export function readFacebook([user]: unknown[], api: string): ProviderUser {
  const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim()
  const alias = textAt(user, 'name')
  return {
    emails: singleEmail(textAt(user, 'email'), true),
    claims: {
      ...baseClaims(api, idAt(user, 'id'), { name, picture: textAt(user, 'picture', 'data', 'url') }),
      nickname: alias,
      slug: alias,
    },
  }
}

export function readFigma([user]: unknown[], api: string): ProviderUser {
  const name = textAt(user, 'handle')
  return {
    emails: singleEmail(textAt(user, 'email'), true),
    claims: { ...baseClaims(api, idAt(user, 'id'), { name }), avatar_url: textAt(user, 'img_url') },
  }
}

export function readFly([user]: unknown[], api: string): ProviderUser {
  const sub = idAt(user, 'user_id')
  const custom = ['resource_owner_id', 'organizations', 'application', 'scope', 'created_at']
  return {
    emails: singleEmail(textAt(user, 'email'), true),
    claims: {
      iss: api,
      sub,
      provider_id: sub,
      full_name: textAt(user, 'user_name'),
      custom_claims: Object.fromEntries(custom.map((name) => [name, valueAt(user, name) ?? null])),
    },
  }
}

export function readGithub([user, emails]: unknown[], api: string): ProviderUser {
  const login = textAt(user, 'login')
  const { picture: _, ...claims } = baseClaims(api, idAt(user, 'id'), {
    name: textAt(user, 'name'),
    picture: textAt(user, 'avatar_url'),
  })
  return {
    emails: readEmails(Array.isArray(emails) ? emails : [], { primary: 'primary', verified: 'verified' }),
    claims: { ...claims, preferred_username: login, user_name: login },
  }
}

export function readGitlab([user, emails]: unknown[], api: string): ProviderUser {
  // The response does not state whether further addresses are verified.
  const others = readEmails(Array.isArray(emails) ? emails : [], { primary: '', verified: '' })
  return {
    emails: [...others, ...singleEmail(textAt(user, 'email'), textAt(user, 'confirmed_at') !== '')],
    claims: baseClaims(api, idAt(user, 'id'), {
      name: textAt(user, 'name'),
      picture: textAt(user, 'avatar_url'),
    }),
  }
}

/** Used if Google returns no ID token. */
export function readGoogle([user]: unknown[]): ProviderUser {
  const verified = valueAt(user, 'verified_email') === true || valueAt(user, 'email_verified') === true
  const iss = 'https://www.googleapis.com/userinfo/v2/me'
  return {
    emails: singleEmail(textAt(user, 'email'), verified),
    claims: baseClaims(iss, idAt(user, 'id'), {
      name: textAt(user, 'name'),
      picture: textAt(user, 'picture'),
    }),
  }
}

export function readKakao([user]: unknown[], api: string): ProviderUser {
  const account = valueAt(user, 'kakao_account')
  const name = textAt(account, 'profile', 'nickname')
  const verified =
    valueAt(account, 'is_email_verified') === true && valueAt(account, 'is_email_valid') === true
  return {
    emails: singleEmail(textAt(account, 'email'), verified),
    claims: {
      ...baseClaims(api, idAt(user, 'id'), { name }),
      avatar_url: textAt(account, 'profile', 'profile_image_url'),
      preferred_username: name,
      user_name: name,
    },
  }
}

const keycloakStandardClaims = new Set(['name', 'sub', 'email', 'email_verified'])

export function readKeycloak([user]: unknown[], api: string): ProviderUser {
  const more = Object.entries((user ?? {}) as Record<string, unknown>).filter(
    ([name]) => !keycloakStandardClaims.has(name),
  )
  return {
    emails: singleEmail(textAt(user, 'email'), valueAt(user, 'email_verified') === true),
    claims: {
      ...baseClaims(api, textAt(user, 'sub'), { name: textAt(user, 'name') }),
      custom_claims: Object.fromEntries(more),
    },
  }
}

export function readLinkedin([user, contact]: unknown[], api: string): ProviderUser {
  const nameOf = (part: 'firstName' | 'lastName') => {
    const locale = `${textAt(user, part, 'preferredLocale', 'language')}_${textAt(user, part, 'preferredLocale', 'country')}`
    return textAt(user, part, 'localized', locale)
  }
  const picture = textAt(
    user,
    'profilePicture',
    'displayImage~',
    'elements',
    0,
    'identifiers',
    0,
    'identifier',
  )
  return {
    emails: singleEmail(textAt(contact, 'elements', 0, 'handle~', 'emailAddress'), true),
    claims: baseClaims(api, idAt(user, 'id'), {
      name: `${nameOf('firstName')} ${nameOf('lastName')}`.trim(),
      picture,
    }),
  }
}
