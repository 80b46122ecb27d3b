/** The channel of a text message. */
export type SmsChannel = 'sms' | 'whatsapp'

/** A text message and its code. `phone` is digits only, in the format of validatePhone. */
export interface SmsMessage {
  phone: string
  message: string
  code: string
  channel: SmsChannel
}

/** An SMS provider. */
export interface SmsProvider {
  /** As in config.toml. */
  name: string
  channels: readonly SmsChannel[]
  /**
   * Sends a message; returns the provider's id of it.
   * @throws SmsProviderError
   */
  send(text: SmsMessage): Promise<string>
  /** For providers that create the codes themselves: verifies a code. */
  verify?(phone: string, code: string): Promise<boolean>
}

/** An error of an SMS provider. The message is the provider's: GoTrue passes it on. */
export class SmsProviderError extends Error {
  override name = 'SmsProviderError'
}
