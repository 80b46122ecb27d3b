import { getClient } from '../client/getClient.ts'

/**
 * Stores a language in the metadata of the account, by which the templates of emails for sign-in choose theirs. Without one they
 * are in English. If it fails, the next visit tries again.
 */
export async function storeAccountLanguage(language: string): Promise<void> {
  const { auth } = await getClient()
  const { data } = await auth.getSession()
  if (!data.session) return
  const stored: unknown = data.session.user.user_metadata['language'] ?? 'en'
  if (stored !== language) await auth.updateUser({ data: { language } })
}
