/** How a text reaches a phone. */
export type TextChannel = 'sms' | 'whatsapp'

/** A text with the code that it carries. `phone` is digits alone, as validatePhone gives it. */
export interface Text {
  phone: string
  message: string
  code: string
  channel: TextChannel
}

/** A company that sends texts. */
export interface TextService {
  channels: readonly TextChannel[]
  /**
   * Hands a text over; gives the name that the service knows it by.
   * @throws TextServiceError
   */
  send(text: Text): Promise<string>
  /** Where the service makes the codes itself and alone knows them: whether this is the one that it sent. */
  check?(phone: string, code: string): Promise<boolean>
}

/** What a service answered instead of sending, in its own words: the contract passes them on. */
export class TextServiceError extends Error {
  override name = 'TextServiceError'
}
