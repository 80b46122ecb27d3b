/** Issuers that have an address of their own, whatever the configuration says. */
export const issuers = {
  google: 'https://accounts.google.com',
  apple: 'https://appleid.apple.com',
  appleToo: 'https://account.apple.com',
  facebook: 'https://www.facebook.com',
  kakao: 'https://kauth.kakao.com',
  linkedin: 'https://www.linkedin.com/oauth',
  snapchat: 'https://accounts.snapchat.com/accounts/oauth2/token',
  vercel: 'https://marketplace.vercel.com',
} as const

export function isAppleIssuer(issuer: string): boolean {
  return issuer === issuers.apple || issuer === issuers.appleToo
}

/** One tenant of Microsoft's; a tenant's name holds nothing that would lead a request elsewhere. */
const azure = /^https:\/\/login\.microsoftonline\.com\/[A-Za-z0-9.-]{1,128}\/v2\.0\/?$/
const azureOld = /^https:\/\/sts\.windows\.net\/[A-Za-z0-9.-]{1,128}\/?$/
const azureCustomers = /^https:\/\/[a-z0-9-]+\.ciamlogin\.com\/[A-Za-z0-9.-]{1,128}\/v2\.0\/?$/

export function isAzureIssuer(issuer: string): boolean {
  return azure.test(issuer)
}

/** Whether tokens of an application's older endpoint come from there. */
export function isOldAzureIssuer(issuer: string): boolean {
  return azureOld.test(issuer)
}

/** Whether this is a tenant of customers (CIAM), on a host of its own. */
export function isAzureCustomersIssuer(issuer: string): boolean {
  return azureCustomers.test(issuer)
}

/** Endpoints that stand for many tenants, and never issue a token themselves. */
const anyTenant = /^https:\/\/login\.microsoftonline\.com\/(common|organizations)\/v2\.0$/
const personal = 'https://login.microsoftonline.com/consumers/v2.0'
/** The tenant of all personal accounts. */
const personalTenant = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'

/** The one tenant that `[auth.external.azure] url` names; null where it names none or several. */
export function azureTenantOf(url: string): string | null {
  const issuer = `${url.replace(/\/$/, '')}/v2.0`
  if (issuer === personal) return personalTenant
  if (anyTenant.test(issuer)) return null
  return isAzureIssuer(issuer) || isAzureCustomersIssuer(issuer) ? issuer : null
}
