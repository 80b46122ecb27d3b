export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  // Allows to automatically instantiate createClient with right options
  // instead of createClient<Database, { PostgrestVersion: 'XX' }>(URL, KEY)
  __InternalSupabase: {
    PostgrestVersion: "14.12"
  }
  graphql_public: {
    Tables: {
      [_ in never]: never
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      graphql: {
        Args: {
          extensions?: Json
          operationName?: string
          query?: string
          variables?: Json
        }
        Returns: Json
      }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
  inventory: {
    Tables: {
      stock: {
        Row: {
          counted_at: string
          product_id: string
          quantity: number
        }
        Insert: {
          counted_at?: string
          product_id: string
          quantity: number
        }
        Update: {
          counted_at?: string
          product_id?: string
          quantity?: number
        }
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      [_ in never]: never
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
  public: {
    Tables: {
      order_lines: {
        Row: {
          order_id: number
          price_cents: number
          product_id: string
          quantity: number
          total_cents: number | null
        }
        Insert: {
          order_id: number
          price_cents: number
          product_id: string
          quantity?: number
          total_cents?: never
        }
        Update: {
          order_id?: number
          price_cents?: number
          product_id?: string
          quantity?: number
          total_cents?: never
        }
        Relationships: [
          {
            foreignKeyName: "order_lines_order_id_fkey"
            columns: ["order_id"]
            isOneToOne: false
            referencedRelation: "order_totals"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "order_lines_order_id_fkey"
            columns: ["order_id"]
            isOneToOne: false
            referencedRelation: "orders"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "order_lines_product_id_fkey"
            columns: ["product_id"]
            isOneToOne: false
            referencedRelation: "product_list"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "order_lines_product_id_fkey"
            columns: ["product_id"]
            isOneToOne: false
            referencedRelation: "products"
            referencedColumns: ["id"]
          },
        ]
      }
      orders: {
        Row: {
          created_at: string
          customer: string
          id: number
          placed_at: string | null
          status: Database["public"]["Enums"]["order_status"]
        }
        Insert: {
          created_at?: string
          customer?: string
          id?: number
          placed_at?: string | null
          status?: Database["public"]["Enums"]["order_status"]
        }
        Update: {
          created_at?: string
          customer?: string
          id?: number
          placed_at?: string | null
          status?: Database["public"]["Enums"]["order_status"]
        }
        Relationships: []
      }
      products: {
        Row: {
          description: string
          gross_cents: number | null
          id: string
          is_listed: boolean
          kind: Database["public"]["Enums"]["product_kind"]
          name: string
          price_cents: number
          tags: string[]
          vat_percent: number
          words: unknown
          gross_price:
            | Database["public"]["CompositeTypes"]["money_amount"]
            | null
        }
        Insert: {
          description?: string
          gross_cents?: never
          id?: string
          is_listed?: boolean
          kind: Database["public"]["Enums"]["product_kind"]
          name: string
          price_cents: number
          tags?: string[]
          vat_percent?: number
          words?: never
        }
        Update: {
          description?: string
          gross_cents?: never
          id?: string
          is_listed?: boolean
          kind?: Database["public"]["Enums"]["product_kind"]
          name?: string
          price_cents?: number
          tags?: string[]
          vat_percent?: number
          words?: never
        }
        Relationships: []
      }
    }
    Views: {
      order_totals: {
        Row: {
          id: number | null
          lines: number | null
          status: Database["public"]["Enums"]["order_status"] | null
          total_cents: number | null
        }
        Relationships: []
      }
      product_list: {
        Row: {
          gross_cents: number | null
          id: string | null
          in_stock: boolean | null
          kind: Database["public"]["Enums"]["product_kind"] | null
          name: string | null
        }
        Relationships: []
      }
    }
    Functions: {
      gross_price: {
        Args: { "": Database["public"]["Tables"]["products"]["Row"] }
        Returns: Database["public"]["CompositeTypes"]["money_amount"]
        SetofOptions: {
          from: "products"
          to: "money_amount"
          isOneToOne: true
          isSetofReturn: false
        }
      }
      keep_notice: {
        Args: { order_id: number; text: string }
        Returns: undefined
      }
      my_notices: {
        Args: Record<PropertyKey, never>
        Returns: {
          order_id: number
          text: string
        }[]
      }
      place_order: { Args: { lines: Json }; Returns: number }
      search_products: {
        Args: { words: string }
        Returns: {
          description: string
          gross_cents: number | null
          id: string
          is_listed: boolean
          kind: Database["public"]["Enums"]["product_kind"]
          name: string
          price_cents: number
          tags: string[]
          vat_percent: number
          words: unknown
        }[]
        SetofOptions: {
          from: "*"
          to: "products"
          isOneToOne: false
          isSetofReturn: true
        }
      }
    }
    Enums: {
      order_status: "cart" | "placed" | "paid" | "shipped" | "expired"
      product_kind: "book" | "game" | "garden tool"
    }
    CompositeTypes: {
      money_amount: {
        amount: number | null
        currency: string | null
      }
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] &
        DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] &
        DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R
      }
      ? R
      : never
    : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I
      }
      ? I
      : never
    : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U
      }
      ? U
      : never
    : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends (DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never) = never,
> = DefaultSchemaEnumNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends (PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never) = never,
> = PublicCompositeTypeNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never

export const Constants = {
  graphql_public: {
    Enums: {},
  },
  inventory: {
    Enums: {},
  },
  public: {
    Enums: {
      order_status: ["cart", "placed", "paid", "shipped", "expired"],
      product_kind: ["book", "game", "garden tool"],
    },
  },
} as const

