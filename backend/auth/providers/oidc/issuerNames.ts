/** Issuers with a fixed URL, independent of the configuration. */
export const issuers = {
  google: 'https://accounts.google.com',
  apple: 'https://appleid.apple.com',
  appleAlias: 'https://account.apple.com',
  facebook: 'https://www.facebook.com',
  kakao: 'https://kauth.kakao.com',
  linkedin: 'https://www.linkedin.com/oauth',
  snapchat: 'https://accounts.snapchat.com/accounts/oauth2/token',
  vercel: 'https://marketplace.vercel.com',
} as const

export function isAppleIssuer(issuer: string): boolean {
  return issuer === issuers.apple || issuer === issuers.appleAlias
}

/** A Microsoft tenant; the pattern admits no character that would change the host of a request. */
const azure = /^https:\/\/login\.microsoftonline\.com\/[A-Za-z0-9.-]{1,128}\/v2\.0\/?$/
const azureV1 = /^https:\/\/sts\.windows\.net\/[A-Za-z0-9.-]{1,128}\/?$/
const azureCustomers = /^https:\/\/[a-z0-9-]+\.ciamlogin\.com\/[A-Za-z0-9.-]{1,128}\/v2\.0\/?$/

export function isAzureIssuer(issuer: string): boolean {
  return azure.test(issuer)
}

/** Whether this is the issuer of Microsoft's v1 tokens. */
export function isAzureV1Issuer(issuer: string): boolean {
  return azureV1.test(issuer)
}

/** Whether this is a Microsoft tenant for customers (CIAM), which has its own host. */
export function isAzureCustomersIssuer(issuer: string): boolean {
  return azureCustomers.test(issuer)
}

/** Endpoints for many tenants, which never issue tokens themselves. */
const anyTenant = /^https:\/\/login\.microsoftonline\.com\/(common|organizations)\/v2\.0$/
const personal = 'https://login.microsoftonline.com/consumers/v2.0'
/** The tenant of all personal accounts. */
const personalTenant = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'

/** The single tenant that `[auth.external.azure] url` names; null if it names none or several. */
export function azureTenantOf(url: string): string | null {
  const issuer = `${url.replace(/\/$/, '')}/v2.0`
  if (issuer === personal) return personalTenant
  if (anyTenant.test(issuer)) return null
  return isAzureIssuer(issuer) || isAzureCustomersIssuer(issuer) ? issuer : null
}
