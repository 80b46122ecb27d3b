import type { Person } from '../../../support/oidc/startProvider.ts'

/** The responses of providers, each in its own format. */
export interface ProviderProfile {
  /** The responses by path; none for providers with ID tokens. */
  responses: (person: Person) => Record<string, unknown>
  /** The resulting identity data, without id, address and `email_verified`. */
  expected: (person: Person) => Record<string, unknown>
  /** Whether the provider verifies addresses. */
  verifiesAddresses?: boolean
}

const named = ({ name }: Person) => ({ name, full_name: name })
const account = ({ id, email, name }: Person) => ({ id, email, name })

export const providerProfiles: Record<string, ProviderProfile> = {
  apple: { responses: () => ({}), expected: () => ({ iss: 'https://appleid.apple.com' }) },
  bitbucket: {
    responses: ({ id, name, email }) => ({
      '/2.0/user': { uuid: id, display_name: name, avatar: { href: 'https://a/b.png' } },
      '/2.0/user/emails': { values: [{ email, is_primary: true, is_confirmed: true }] },
    }),
    expected: (p) => ({ ...named(p), picture: 'https://a/b.png', avatar_url: 'https://a/b.png' }),
  },
  discord: {
    responses: ({ id, email, name }) => ({
      '/api/users/@me': { id, username: name, discriminator: '7', email, verified: true, avatar: 'a_1' },
    }),
    expected: ({ id, name }) => ({
      name: `${name}#7`,
      full_name: name,
      picture: `https://cdn.discordapp.com/avatars/${id}/a_1.gif`,
    }),
  },
  facebook: {
    responses: ({ id, email }) => ({
      '/me': { id, email, first_name: 'Ann', last_name: 'Example', name: 'annie' },
    }),
    expected: () => ({ name: 'Ann Example', nickname: 'annie', slug: 'annie' }),
  },
  figma: {
    responses: ({ id, email, name }) => ({
      '/v1/me': { id, email, handle: name, img_url: 'https://a/f.png' },
    }),
    expected: (p) => ({ ...named(p), avatar_url: 'https://a/f.png' }),
  },
  fly: {
    responses: ({ id, email, name }) => ({ '/oauth/token/info': { user_id: id, email, user_name: name } }),
    expected: ({ name }) => ({ full_name: name }),
  },
  github: {
    responses: ({ id, email, name }) => ({
      '/user': { id: Number(id), login: 'ann', name, avatar_url: 'https://a/g.png', email: null },
      '/user/emails': [
        { email: `old-${email}`, primary: false, verified: true },
        { email, primary: true, verified: true },
      ],
    }),
    expected: (p) => ({
      ...named(p),
      user_name: 'ann',
      preferred_username: 'ann',
      iss: 'https://api.github.com',
    }),
  },
  gitlab: {
    responses: ({ email, name, id }) => ({
      '/api/v4/user': {
        id: Number(id),
        email,
        name,
        confirmed_at: '2020-01-01',
        avatar_url: 'https://a/l.png',
      },
      '/api/v4/user/emails': [{ id: 1, email: `other-${email}` }],
    }),
    expected: (p) => ({ ...named(p), picture: 'https://a/l.png' }),
  },
  google: { responses: () => ({}), expected: (p) => ({ ...named(p), iss: 'https://accounts.google.com' }) },
  kakao: {
    responses: ({ id, email, name }) => ({
      '/v2/user/me': {
        id: Number(id),
        kakao_account: {
          profile: { nickname: name },
          email,
          is_email_valid: true,
          is_email_verified: true,
        },
      },
    }),
    expected: (p) => ({ ...named(p), user_name: p.name }),
  },
  keycloak: {
    responses: ({ id, email, name }) => ({
      '/realms/staff/protocol/openid-connect/userinfo': {
        sub: id,
        name,
        email,
        email_verified: true,
        department: 'wards',
      },
    }),
    expected: (p) => ({ ...named(p), custom_claims: { department: 'wards' } }),
  },
  linkedin: {
    responses: ({ id, email }) => ({
      '/v2/me': {
        id,
        firstName: { localized: { de_CH: 'Ann' }, preferredLocale: { language: 'de', country: 'CH' } },
        lastName: { localized: { de_CH: 'Example' }, preferredLocale: { language: 'de', country: 'CH' } },
      },
      '/v2/emailAddress': { elements: [{ 'handle~': { emailAddress: email } }] },
    }),
    expected: () => ({ name: 'Ann Example', iss: 'https://api.linkedin.com' }),
  },
  notion: {
    responses: ({ id, email, name }) => ({
      '/v1/users/me': { bot: { owner: { user: { id, name, person: { email } } } } },
    }),
    expected: named,
  },
  slack: {
    responses: ({ id, email, name }) => ({
      '/api/openid.connect.userInfo': {
        'https://slack.com/user_id': id,
        'https://slack.com/team_id': 'T1',
        email,
        name,
      },
    }),
    expected: (p) => ({ ...named(p), custom_claims: { 'https://slack.com/team_id': 'T1' } }),
  },
  slack_oidc: {
    responses: ({ id, email, name }) => ({
      '/api/openid.connect.userInfo': { 'https://slack.com/user_id': id, email, name, email_verified: true },
    }),
    expected: named,
  },
  snapchat: {
    responses: ({ id, email, name }) => ({
      '/v1/me': {
        data: { me: { externalId: id, displayName: name, email, bitmoji: { avatar: 'https://a/s' } } },
      },
    }),
    expected: (p) => ({ ...named(p), slug: p.name, picture: 'https://a/s' }),
  },
  spotify: {
    responses: ({ id, email, name }) => ({
      '/v1/me': { id, email, display_name: name, images: [{ url: 'https://a/p', height: 9, width: 9 }] },
    }),
    expected: (p) => ({ ...named(p), picture: 'https://a/p' }),
    verifiesAddresses: false,
  },
  twitch: {
    responses: ({ id, email, name }) => ({
      '/helix/users': { data: [{ id, email, login: name, display_name: 'Annie', view_count: 3 }] },
    }),
    expected: (p) => ({ ...named(p), nickname: 'Annie', slug: 'Annie' }),
  },
  x: {
    responses: ({ id, email, name }) => ({
      '/2/users/me': { data: { id, name, username: 'ann', confirmed_email: email } },
    }),
    expected: (p) => ({ ...named(p), user_name: 'ann', profile: 'https://x.com/ann' }),
  },
  zoom: {
    responses: (p) => ({
      '/v2/users/me': {
        ...account(p),
        first_name: 'Ann',
        last_name: 'Example',
        login_type: '100',
        verified: 1,
      },
    }),
    expected: () => ({ name: 'Ann Example', full_name: 'Ann Example' }),
  },
}
