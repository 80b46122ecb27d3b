/** What browsers with Trusted Types have (W3C Trusted Types); not yet in TypeScript's own library. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL: (url: string) => string | null }): unknown
}

/**
 * Text becomes no script and no markup anywhere in the page: the content policy asks for Trusted Types, and this
 * default policy lets through one thing alone, the addresses of this build's workers.
 */
export function requireTrustedTypes(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.href)
      return origin === location.origin && /^\/(assets\/|service-worker\.js$)/.test(pathname) ? address : null
    },
  })
}
