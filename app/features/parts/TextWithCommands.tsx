import styles from './TextWithCommands.module.css'

/** A command with its first word, or an option with its number. */
const command = /((?:bin\/)?\blinnet [a-z]+|--[a-z-]+(?:[ =]\d[\d.]*\d)?)/

/** A text whose commands and options, such as `--host 0.0.0.0`, are not broken across lines. */
export function TextWithCommands({ text }: { text: string }) {
  return text.split(command).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the parts have no other identity
      <span key={index} className={styles.command}>
        {part}
      </span>
    ),
  )
}
