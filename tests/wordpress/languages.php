<?php
// Languages as Polylang keeps them: two taxonomies, and two fields of the REST API.
add_action('init', function () {
  foreach (['language','post_translations'] as $name)
    register_taxonomy($name, ['post','page'], ['public'=>false,'hierarchical'=>false,'rewrite'=>false,'query_var'=>false]);
}, 0);
add_action('rest_api_init', function () {
  register_rest_field(['post','page'], 'lang', ['get_callback'=>function ($post) {
    $terms = wp_get_object_terms($post['id'], 'language'); return $terms && !is_wp_error($terms) ? $terms[0]->slug : '';
  }]);
  register_rest_field(['post','page'], 'translations', ['get_callback'=>function ($post) {
    $groups = wp_get_object_terms($post['id'], 'post_translations'); if (!$groups || is_wp_error($groups)) return [];
    $all = []; foreach (get_objects_in_term($groups[0]->term_id, 'post_translations') as $id) {
      $terms = wp_get_object_terms($id, 'language'); if ($terms) $all[$terms[0]->slug] = (int)$id; }
    return $all ?: [];
  }]);
});
