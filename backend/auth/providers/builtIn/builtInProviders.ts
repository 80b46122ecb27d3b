import { issuers } from '../oidc/issuerNames.ts'
import type { BuiltInProvider } from './BuiltInProvider.ts'
import {
  readBitbucket,
  readDiscord,
  readFacebook,
  readFigma,
  readFly,
  readGithub,
  readGitlab,
  readGoogle,
  readKakao,
  readKeycloak,
  readLinkedin,
} from './readProfilesAToL.ts'
import {
  readNotion,
  readSlack,
  readSnapchat,
  readSpotify,
  readTwitch,
  readWorkos,
  readX,
  readZoom,
} from './readProfilesNToZ.ts'
import { createHmac } from 'node:crypto'

const defaults = { issuer: null, allowsScopes: true, clientAuth: 'body', pkce: false } as const

/** The providers of `[auth.external.*]`, except twitter, which uses OAuth 1. */
export const builtInProviders = {
  apple: {
    ...defaults,
    endpoints: null,
    issuer: issuers.apple,
    scopes: ['email', 'name'],
    allowsScopes: false,
    params: { response_mode: 'form_post' },
    userSource: { kind: 'idToken' },
  },
  azure: {
    ...defaults,
    endpoints: (base) => {
      const api = base('login.microsoftonline.com/common')
      return { authorize: `${api}/oauth2/v2.0/authorize`, token: `${api}/oauth2/v2.0/token`, api }
    },
    scopes: ['openid'],
    pkce: true,
    userSource: { kind: 'idToken' },
  },
  bitbucket: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('bitbucket.org')}/site/oauth2/authorize`,
      token: `${base('bitbucket.org')}/site/oauth2/access_token`,
      api: `${base('api.bitbucket.org')}/2.0`,
    }),
    scopes: ['account', 'email'],
    allowsScopes: false,
    clientAuth: 'auto',
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/user` }, { url: `${api}/user/emails` }],
      toUser: readBitbucket,
    },
  },
  discord: {
    ...defaults,
    endpoints: (base) => {
      const api = `${base('discord.com')}/api`
      return { authorize: `${api}/oauth2/authorize`, token: `${api}/oauth2/token`, api }
    },
    scopes: ['email', 'identify'],
    userSource: { kind: 'api', requests: ({ api }) => [{ url: `${api}/users/@me` }], toUser: readDiscord },
  },
  facebook: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('www.facebook.com')}/dialog/oauth`,
      token: `${base('graph.facebook.com')}/oauth/access_token`,
      api: `${base('graph.facebook.com')}/me?fields=email,first_name,last_name,name,picture`,
    }),
    scopes: ['email'],
    userSource: {
      kind: 'api',
      requests: ({ api, token, secret }) => {
        const proof = createHmac('sha256', secret).update(token).digest('hex')
        return [{ url: `${api}&appsecret_proof=${proof}` }]
      },
      toUser: readFacebook,
    },
  },
  figma: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('www.figma.com')}/oauth`,
      token: `${base('api.figma.com')}/v1/oauth/token`,
      api: base('api.figma.com'),
    }),
    scopes: ['current_user:read'],
    clientAuth: 'auto',
    userSource: { kind: 'api', requests: ({ api }) => [{ url: `${api}/v1/me` }], toUser: readFigma },
  },
  fly: {
    ...defaults,
    endpoints: (base) => {
      const api = base('api.fly.io')
      return { authorize: `${api}/oauth/authorize`, token: `${api}/oauth/token`, api }
    },
    scopes: ['read'],
    clientAuth: 'auto',
    userSource: { kind: 'api', requests: ({ api }) => [{ url: `${api}/oauth/token/info` }], toUser: readFly },
  },
  github: {
    ...defaults,
    endpoints: (base) => {
      const api = base('api.github.com')
      return {
        authorize: `${base('github.com')}/login/oauth/authorize`,
        token: `${base('github.com')}/login/oauth/access_token`,
        // On GitHub Enterprise the API has a path instead of a host.
        api: api.endsWith('api.github.com') ? api : `${api}/api/v3`,
      }
    },
    scopes: ['user:email'],
    pkce: true,
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/user` }, { url: `${api}/user/emails` }],
      toUser: readGithub,
    },
  },
  gitlab: {
    ...defaults,
    endpoints: (base) => {
      const api = base('gitlab.com')
      return { authorize: `${api}/oauth/authorize`, token: `${api}/oauth/token`, api }
    },
    scopes: ['read_user'],
    pkce: true,
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/api/v4/user` }, { url: `${api}/api/v4/user/emails` }],
      toUser: readGitlab,
    },
  },
  google: {
    ...defaults,
    endpoints: null,
    issuer: issuers.google,
    scopes: ['email', 'profile'],
    pkce: true,
    userSource: {
      kind: 'idToken',
      fallback: {
        kind: 'api',
        requests: () => [{ url: 'https://www.googleapis.com/userinfo/v2/me' }],
        toUser: readGoogle,
      },
    },
  },
  kakao: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('kauth.kakao.com')}/oauth/authorize`,
      token: `${base('kauth.kakao.com')}/oauth/token`,
      api: base('kapi.kakao.com'),
    }),
    scopes: ['account_email', 'profile_image', 'profile_nickname'],
    userSource: { kind: 'api', requests: ({ api }) => [{ url: `${api}/v2/user/me` }], toUser: readKakao },
  },
  keycloak: {
    ...defaults,
    // Has no default: the configured URL names the realm.
    endpoints: (base) => {
      const api = base('')
      const realm = `${api}/protocol/openid-connect`
      return { authorize: `${realm}/auth`, token: `${realm}/token`, api }
    },
    scopes: ['profile', 'email'],
    pkce: true,
    clientAuth: 'auto',
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/protocol/openid-connect/userinfo` }],
      toUser: readKeycloak,
    },
  },
  linkedin: {
    ...defaults,
    endpoints: (base) => linkedinEndpoints(base('api.linkedin.com')),
    scopes: ['r_emailaddress', 'r_liteprofile'],
    userSource: {
      kind: 'api',
      requests: ({ api }) => [
        {
          url: `${api}/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))`,
        },
        { url: `${api}/v2/emailAddress?q=members&projection=(elements*(handle~))` },
      ],
      toUser: readLinkedin,
    },
  },
  linkedin_oidc: {
    ...defaults,
    endpoints: (base) => linkedinEndpoints(base('api.linkedin.com')),
    issuer: issuers.linkedin,
    scopes: ['openid', 'email', 'profile'],
    userSource: { kind: 'idToken' },
  },
  notion: {
    ...defaults,
    endpoints: (base) => {
      const api = base('api.notion.com')
      return { authorize: `${api}/v1/oauth/authorize`, token: `${api}/v1/oauth/token`, api }
    },
    scopes: [],
    allowsScopes: false,
    clientAuth: 'basic',
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/v1/users/me`, headers: { 'Notion-Version': '2021-08-16' } }],
      toUser: readNotion,
    },
  },
  slack: {
    ...defaults,
    endpoints: (base) => {
      const api = base('slack.com')
      return { authorize: `${api}/oauth/authorize`, token: `${api}/api/oauth.access`, api: `${api}/api` }
    },
    scopes: ['profile', 'email', 'openid'],
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/openid.connect.userInfo` }],
      // The response does not state whether an address is verified.
      toUser: (responses, api) => readSlack(responses, api, true),
    },
  },
  slack_oidc: {
    ...defaults,
    endpoints: (base) => {
      const api = base('slack.com')
      return {
        authorize: `${api}/openid/connect/authorize`,
        token: `${api}/api/openid.connect.token`,
        api: `${api}/api`,
      }
    },
    scopes: ['profile', 'email', 'openid'],
    userSource: {
      kind: 'api',
      requests: ({ api }) => [{ url: `${api}/openid.connect.userInfo` }],
      toUser: (responses, api) => readSlack(responses, api, false),
    },
  },
  snapchat: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('accounts.snapchat.com')}/accounts/oauth2/auth`,
      token: `${base('accounts.snapchat.com')}/accounts/oauth2/token`,
      api: `${base('kit.snapchat.com')}/v1/me`,
    }),
    scopes: ['external_id', 'display_name', 'bitmoji.avatar'].map(
      (name) => `https://auth.snapchat.com/oauth2/api/user.${name}`,
    ),
    clientAuth: 'auto',
    userSource: {
      kind: 'api',
      requests: ({ api }) => {
        const query = '{me { externalId displayName bitmoji { avatar id } email } }'
        return [{ url: `${api}?${new URLSearchParams({ query })}` }]
      },
      toUser: readSnapchat,
    },
  },
  spotify: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('accounts.spotify.com')}/authorize`,
      token: `${base('accounts.spotify.com')}/api/token`,
      api: base('api.spotify.com/v1'),
    }),
    scopes: ['user-read-email'],
    clientAuth: 'auto',
    userSource: { kind: 'api', requests: ({ api }) => [{ url: `${api}/me` }], toUser: readSpotify },
  },
  twitch: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('id.twitch.tv')}/oauth2/authorize`,
      token: `${base('id.twitch.tv')}/oauth2/token`,
      api: base('api.twitch.tv'),
    }),
    scopes: ['user:read:email'],
    userSource: {
      kind: 'api',
      requests: ({ api, clientId }) => [{ url: `${api}/helix/users`, headers: { 'Client-Id': clientId } }],
      toUser: readTwitch,
    },
  },
  vercel_marketplace: {
    ...defaults,
    endpoints: (base) => linkedinEndpoints(base('api.vercel.com')),
    issuer: issuers.vercel,
    scopes: [],
    userSource: { kind: 'idToken' },
  },
  workos: {
    ...defaults,
    endpoints: (base) => {
      const api = base('api.workos.com')
      return { authorize: `${api}/sso/authorize`, token: `${api}/sso/token`, api }
    },
    scopes: [],
    allowsScopes: false,
    userSource: { kind: 'tokenResponse', toUser: readWorkos },
  },
  x: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('x.com')}/i/oauth2/authorize`,
      token: `${base('api.x.com')}/2/oauth2/token`,
      api: base('api.x.com'),
    }),
    scopes: ['users.email', 'tweet.read', 'users.read', 'offline.access'],
    pkce: true,
    clientAuth: 'basic',
    userSource: {
      kind: 'api',
      requests: ({ api }) => [
        {
          url: `${api}/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at`,
        },
      ],
      toUser: readX,
    },
  },
  zoom: {
    ...defaults,
    endpoints: (base) => ({
      authorize: `${base('zoom.us')}/oauth/authorize`,
      token: `${base('zoom.us')}/oauth/token`,
      api: `${base('api.zoom.us')}/v2`,
    }),
    scopes: [],
    allowsScopes: false,
    clientAuth: 'basic',
    userSource: { kind: 'api', requests: ({ api }) => [{ url: `${api}/users/me` }], toUser: readZoom },
  },
} satisfies Record<string, BuiltInProvider>

function linkedinEndpoints(api: string) {
  return { authorize: `${api}/oauth/v2/authorization`, token: `${api}/oauth/v2/accessToken`, api }
}
