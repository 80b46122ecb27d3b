/** The maximum length of a provider's text that is passed on, in characters. */
const maxLength = 512

/** The provider redirected with an error instead of a code (RFC 6749 §4.1.2.1). */
export class ProviderFlowError extends Error {
  override name = 'ProviderRefusal'
  readonly error: string

  constructor(error: string, description: string) {
    super(description.slice(0, maxLength))
    this.error = error.slice(0, maxLength)
  }
}
