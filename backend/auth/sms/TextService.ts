/** The channel of a text message. */
export type TextChannel = 'sms' | 'whatsapp'

/** A text message and its code. `phone` is digits only, in the format of validatePhone. */
export interface Text {
  phone: string
  message: string
  code: string
  channel: TextChannel
}

/** An SMS provider. */
export interface TextService {
  channels: readonly TextChannel[]
  /**
   * Sends a message; returns the provider's id of it.
   * @throws TextServiceError
   */
  send(text: Text): Promise<string>
  /** For providers that create the codes themselves: verifies a code. */
  check?(phone: string, code: string): Promise<boolean>
}

/** An error of an SMS provider, in its own words: GoTrue passes them on. */
export class TextServiceError extends Error {
  override name = 'TextServiceError'
}
