import { i18n } from '@lingui/core'
import { TextField } from '../../../ui/TextField.tsx'

interface Props {
  name: string
  nameHint: string
  /** Separated by spaces or commas. */
  aliases: string
  onName: (name: string) => void
  onAliases: (aliases: string) => void
}

/** Fields for the name and the aliases of a custom emoji. */
export function EmojiNameFields({ name, nameHint, aliases, onName, onAliases }: Props) {
  return (
    <>
      <TextField
        name="name"
        label={i18n._('Name')}
        hint={nameHint}
        value={name}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={34}
        onChange={onName}
      />
      <TextField
        name="name"
        label={i18n._('Other names (optional)')}
        hint={i18n._('Up to 10, separated by spaces or commas.')}
        value={aliases}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={400}
        onChange={onAliases}
      />
    </>
  )
}
