import { i18n } from '@lingui/core'

interface OptionTexts {
  label: string
  hint: string
  choices: Record<string, string>
}

/** The options of products that the page knows. A newer server may have others. */
const texts: Readonly<Record<string, () => OptionTexts>> = {
  topics: () => ({
    label: i18n._('Topics'),
    hint: i18n._('Without a choice, topics become threads.'),
    choices: {
      threads: i18n._('Threads of the channel of their stream'),
      channels: i18n._('Channels of their own'),
    },
  }),
}

/** The label of an option of a product: its name on the command line if the page does not know it. */
export const optionLabel = (name: string): string => texts[name]?.().label ?? name

/** What an option of a product decides; undefined if the page does not know it. */
export const optionHint = (name: string): string | undefined => texts[name]?.().hint

/** The label of a value of an option. */
export const choiceLabel = (name: string, choice: string): string => texts[name]?.().choices[choice] ?? choice
