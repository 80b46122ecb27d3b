/** Custom providers as administrators create them. */
export const oidc = {
  provider_type: 'oidc' as const,
  identifier: 'custom:acme',
  name: 'Acme',
  client_id: 'app',
  client_secret: 'secret-of-app',
  issuer: 'https://id.acme.test',
  scopes: ['email'],
  acceptable_client_ids: ['app-ios'],
  custom_claims_allowlist: ['department'],
  authorization_params: { prompt: 'login' },
}
export const oauth2 = {
  provider_type: 'oauth2' as const,
  identifier: 'custom:forge',
  name: 'Forge',
  client_id: 'app',
  client_secret: 'secret-of-app',
  authorization_url: 'https://forge.test/login',
  token_url: 'https://forge.test/token',
  userinfo_url: 'https://forge.test/me',
  attribute_mapping: { sub: 'id', name: 'login' },
  email_optional: true,
}

/** Invalid custom providers and their errors. */
export const invalidCustomProviders: [entry: object, message: string | RegExp][] = [
  [{ ...oidc, provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
  [{ ...oidc, identifier: '' }, 'identifier is required'],
  [{ ...oidc, identifier: 'acme' }, "identifier must start with 'custom:' prefix, e.g. 'custom:acme'"],
  [{ ...oidc, identifier: 'custom:A' }, /^identifier must be/],
  [{ ...oidc, name: '' }, 'name is required'],
  [{ ...oidc, name: 'x'.repeat(101) }, /^name must be at most/],
  [{ ...oidc, client_id: '' }, 'client_id is required'],
  [{ ...oidc, client_secret: '' }, 'client_secret is required'],
  [{ ...oidc, issuer: '' }, 'issuer is required for OIDC providers'],
  [{ ...oauth2, token_url: '' }, 'token_url is required for OAuth2 providers'],
  [{ ...oidc, authorization_params: { State: 'x' } }, 'Cannot override reserved OAuth parameter: State'],
  [{ ...oidc, authorization_params: { prompt: 1 } }, 'Authorization parameter "prompt" must be a string'],
  [
    { ...oidc, attribute_mapping: { email_verified: true } },
    'Cannot map to protected system field: email_verified',
  ],
  [{ ...oidc, custom_claims_allowlist: [' '] }, 'custom_claims_allowlist entries must be non-empty strings'],
  [{ ...oidc, issuer: 'http://id.acme.test' }, 'URL must use HTTPS'],
  [{ ...oidc, issuer: 'acme' }, 'Invalid URL format'],
  [{ ...oidc, issuer: 'https://localhost' }, 'URL cannot point to localhost or loopback addresses'],
  [{ ...oidc, issuer: 'https://2130706433/' }, 'URL cannot point to localhost or loopback addresses'],
  [{ ...oidc, issuer: 'https://[::ffff:10.0.0.1]/' }, 'URL cannot resolve to private network addresses'],
  [
    { ...oidc, discovery_url: 'https://169.254.169.254/x' },
    'URL cannot resolve to private network addresses',
  ],
  [{ ...oauth2, userinfo_url: 'https://db.inside.test/' }, 'URL cannot resolve to private network addresses'],
  [{ ...oauth2, token_url: 'https://nobody.invalid/' }, 'Unable to resolve hostname'],
  [{ ...oidc, scopes: 'email' }, /^Could not parse request body as JSON/],
]
