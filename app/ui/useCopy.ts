import { i18n } from '@lingui/core'
import { useToast } from './toast.ts'

/** Returns the function that copies a text and confirms it with the sentence `done`. False if the browser refuses. */
export function useCopy(): (text: string, done: string) => Promise<boolean> {
  const showToast = useToast()
  return async (text, done) => {
    try {
      await navigator.clipboard.writeText(text)
      showToast({ text: done })
      return true
    } catch {
      showToast({ text: i18n._('Couldn’t copy to the clipboard.') })
      return false
    }
  }
}
