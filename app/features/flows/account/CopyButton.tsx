import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'

/** Copies a secret that is visible beside it. */
export function CopyButton({ text }: { text: string }) {
  const showToast = useToast()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      showToast({ text: i18n._('Couldn’t copy. Select the text and copy it manually.') })
    }
  }
  return <Button onClick={() => void copy()}>{copied ? i18n._('Copied') : i18n._('Copy')}</Button>
}
